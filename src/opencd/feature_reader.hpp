// The encoder over many pictures, evaluated with its running statistics: what grouping, scores and
// prediction look at.
#pragma once

#include "nn/resnet.hpp"
#include "opencd/device_pictures.hpp"

#include <functional>

namespace opencd {

class FeatureReader {
 public:
  /// Works on `block` pictures at a time. All of these must outlive it.
  FeatureReader(nn::Model& model,
                const nn::ResNet& encoder,
                const DevicePictures& pictures,
                std::size_t block);

  /// `first` is the place in `rows` of the first row of `features`, which stay valid for work that is
  /// submitted in the call. Views are those of `augmenter` with `key`.
  using Take = std::function<void(std::size_t first, kernels::Rows<const float> features)>;
  void read(std::span<const std::uint32_t> rows,
            const kernels::Augmenter& augmenter,
            const kernels::AugmentKey& key,
            const Take& take);

 private:
  nn::Model& model_;
  const nn::ResNet& encoder_;
  PictureBatches batches_;
  kernels::Buffer<float> images_;
  kernels::Buffer<float> features_;
  std::optional<kernels::Scratch> scratch_;
};

}  // namespace opencd
