#include "opencd/model_description.hpp"

#include "error.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

constexpr const char* kModelFormat = "opencd_sycl model 1";

}  // namespace

nn::ResNetConfig EncoderDescription::network() const {
  nn::ResNetConfig config = nn::resnet_config(arch, stem);
  if (width != 0) config.width = width;
  config.in_channels = channels;
  return config;
}

kernels::AugmentConfig ModelDescription::test_view() const {
  kernels::AugmentConfig view = kernels::augment_preset("test");
  view.mean = mean;
  view.std = std;
  return view;
}

Json to_json(const ModelDescription& d) {
  return {{"format", kModelFormat},
          {"arch", d.encoder.arch},
          {"stem", d.encoder.stem == nn::Stem::imagenet ? "imagenet" : "cifar"},
          {"width", d.encoder.width},
          {"picture", {d.picture.height, d.picture.width, d.picture.channels}},
          {"mean", d.mean},
          {"std", d.std},
          {"method", d.method},
          {"method_options", d.method_options},
          {"class_names", d.class_names},
          {"known", d.known},
          {"classes", d.classes},
          {"data_hash", d.data_hash},
          {"split_hash", d.split_hash},
          {"seed", d.seed}};
}

ModelDescription model_description(const Json& json, const std::string& file) {
  try {
    if (json.at("format") != kModelFormat)
      fail<FormatError>("[model] {}: expected the format \"{}\", got {}", file, kModelFormat,
                        json.at("format").dump());
    ModelDescription d;
    d.encoder.arch = json.at("arch").get<std::string>();
    d.encoder.stem = json.at("stem") == "imagenet" ? nn::Stem::imagenet : nn::Stem::cifar;
    d.encoder.width = json.at("width").get<std::int64_t>();
    const auto picture = json.at("picture").get<std::array<std::size_t, 3>>();
    d.picture = {picture[0], picture[1], picture[2]};
    d.encoder.channels = static_cast<std::int64_t>(picture[2]);
    d.mean = json.at("mean").get<std::array<float, 3>>();
    d.std = json.at("std").get<std::array<float, 3>>();
    d.method = json.at("method").get<std::string>();
    d.method_options = json.at("method_options");
    d.class_names = json.at("class_names").get<std::vector<std::string>>();
    d.known = json.at("known").get<std::size_t>();
    d.classes = json.at("classes").get<std::size_t>();
    d.data_hash = json.at("data_hash").get<std::string>();
    d.split_hash = json.at("split_hash").get<std::string>();
    d.seed = json.at("seed").get<std::uint32_t>();
    if (d.known > d.class_names.size())
      fail<FormatError>("[model] {}: {} known classes, but {} class names", file, d.known,
                        d.class_names.size());
    return d;
  } catch (const Json::exception& error) {
    fail<FormatError>("[model] {} does not describe a model: {}", file, error.what());
  }
}

PixelStatistics pixel_statistics(const data::ImageSet& set) {
  if (set.name == "cifar-10") return {{0.4914f, 0.4822f, 0.4465f}, {0.2023f, 0.1994f, 0.2010f}};
  if (set.name == "cifar-100") return {{0.5071f, 0.4867f, 0.4408f}, {0.2675f, 0.2565f, 0.2761f}};
  constexpr std::size_t kRows = 10000;  // evenly spread; more would change nothing
  const std::size_t channels = set.shape.channels;
  const std::size_t rows = std::min(kRows, set.train.size());
  std::array<double, 3> sums{};
  std::array<double, 3> squares{};
  for (std::size_t i = 0; i < rows; ++i) {
    const auto pixels = set.train_row(i * set.train.size() / rows);
    for (std::size_t p = 0; p < pixels.size(); ++p) {
      const double value = pixels[p] / 255.0;
      sums[p % channels] += value;
      squares[p % channels] += value * value;
    }
  }
  const double count =
      static_cast<double>(rows) * static_cast<double>(set.shape.height * set.shape.width);
  PixelStatistics result;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t from = std::min(c, channels - 1);
    const double mean = sums[from] / count;
    result.mean[c] = static_cast<float>(mean);
    // Pictures of one colour have no deviation to divide by.
    const double deviation = std::sqrt(std::max(0.0, squares[from] / count - mean * mean));
    result.std[c] = deviation > 1e-3 ? static_cast<float>(deviation) : 1.0f;
  }
  return result;
}

}  // namespace opencd
