// What someone who meets a trained model must know to use it: which network, which pictures, which
// method, which classes. A checkpoint carries it in state.json, so that a checkpoint is enough.
#pragma once

#include "data/open_world_split.hpp"
#include "kernels/augment_config.hpp"
#include "nn/resnet_config.hpp"
#include "opencd/method.hpp"

#include <array>
#include <string>
#include <vector>

namespace opencd {

struct EncoderDescription {
  std::string arch = "resnet18";
  nn::Stem stem = nn::Stem::cifar;
  std::int64_t width = 64;
  std::int64_t channels = 3;

  nn::ResNetConfig network() const;
};

struct ModelDescription {
  EncoderDescription encoder;
  data::ImageShape picture;
  std::array<float, 3> mean{};
  std::array<float, 3> std{};
  std::string method;
  Json method_options = Json::object();
  std::vector<std::string> class_names;  // known classes first, as groups are numbered
  std::size_t known = 0;
  std::size_t classes = 0;  // that the user said there are; 0: unknown
  std::string data_hash;
  std::string split_hash;
  std::uint32_t seed = 0;

  std::vector<std::string> known_classes() const {
    return {class_names.begin(), class_names.begin() + static_cast<std::ptrdiff_t>(known)};
  }
  /// Pictures as they are, normalised.
  kernels::AugmentConfig test_view() const;
};

Json to_json(const ModelDescription& description);
/// FormatError that names `file` if it does not read.
ModelDescription model_description(const Json& json, const std::string& file);

/// The mean and deviation to normalise the pictures of a set with: the published ones for CIFAR-10
/// and CIFAR-100, elsewhere those of the training pictures.
struct PixelStatistics {
  std::array<float, 3> mean{};
  std::array<float, 3> std{};
};
PixelStatistics pixel_statistics(const data::ImageSet& set);

}  // namespace opencd
