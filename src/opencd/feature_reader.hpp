// The encoder over many pictures, evaluated with its running statistics: what grouping, scores and
// prediction look at.
#pragma once

#include "kernels/norm_record.hpp"
#include "kernels/readback.hpp"
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
  /// submitted in the call. Views are those of `augmenter` with `key`. Throws NonFiniteError, which
  /// names the tensor or the row, where weights or features are not finite or a variance is negative:
  /// routines that others wrote turn NaN into 0 in a ReLU, so that features alone do not tell.
  using Take = std::function<void(std::size_t first, kernels::Rows<const float> features)>;
  void read(std::span<const std::uint32_t> rows,
            const kernels::Augmenter& augmenter,
            const kernels::AugmentKey& key,
            const Take& take);

 private:
  /// Asks for the number of entries of `values` that are not finite.
  void start_check(kernels::View<const float> values);
  std::size_t bad_entries() { return static_cast<std::size_t>(readback_.finish().bad); }
  void require_usable_weights();
  void fail_for_bad_weight(const nn::Parameter& parameter) const;
  [[noreturn]] void fail_for_row(kernels::Rows<const float> features,
                                 std::span<const std::uint32_t> rows) const;

  nn::Model& model_;
  const nn::ResNet& encoder_;
  PictureBatches batches_;
  kernels::Buffer<float> images_;
  kernels::Buffer<float> features_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Scratch> norm_scratch_;
  kernels::Buffer<kernels::NormRecord> record_;
  kernels::Readback<kernels::NormRecord> readback_;
  std::uint64_t checked_version_ = 0;  // of the weights
};

}  // namespace opencd
