// A published classifier: a residual network with its weights, which says the class of pictures. It
// takes no part in discovery; it shows that networks, weights and data agree with the rest of the
// world.
#pragma once

#include "data/image_set.hpp"
#include "kernels/augment.hpp"
#include "nn/resnet.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace opencd {

struct ClassifierConfig {
  std::string arch;               // "resnet20", "resnet18", ...
  std::filesystem::path weights;  // safetensors, with the names of torchvision or of the CIFAR nets
  nn::Stem stem = nn::Stem::cifar;
  std::int64_t width = 0;  // channels of the first stage; 0: the network's own
  std::array<float, 3> mean{0.485f, 0.456f, 0.406f};
  std::array<float, 3> std{0.229f, 0.224f, 0.225f};
  std::size_t batch = 256;
};

class Classifier {
 public:
  /// Builds the network for pictures of `shape`; the weights say how many classes there are.
  Classifier(const nn::Engine& engine,
             const ClassifierConfig& config,
             const data::ImageShape& shape);

  std::int64_t classes() const { return config_.classes; }

  /// The class of every row. `progress` is told how many rows are done, batch by batch.
  std::vector<std::int32_t> classify(const data::ImageRows& rows,
                                     const std::function<void(std::size_t)>& progress = {});

 private:
  void classify_batch(std::size_t count);

  data::ImageShape shape_;
  std::size_t batch_;
  nn::ResNetConfig config_;
  nn::Model model_;
  nn::ResNet network_;
  kernels::Augmenter augmenter_;
  kernels::Scratch scratch_;
  kernels::Buffer<std::uint8_t> pixels_;
  kernels::Buffer<std::int32_t> places_;
  kernels::Buffer<float> images_;
  kernels::Buffer<float> logits_;
  kernels::Buffer<std::int32_t> classes_;
};

}  // namespace opencd
