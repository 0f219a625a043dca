// Weights by name, between the memory of the host and safetensors files. A network says which
// tensors it has, by PyTorch's names and in PyTorch's layouts (row-major; convolutions as output,
// input, height, width); how the device lays them out is the network's own affair.
//
// Nothing is handed over before all of it has been read and found finite, so a bad file never leaves
// a network half loaded.
#pragma once

#include "files/safetensors_header.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::nn {

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// How the tensors of a file fit those that a network expects.
struct LoadReport {
  struct WrongShape {
    TensorSpec expected;
    std::vector<std::int64_t> found;
  };

  std::size_t matched = 0;
  std::vector<TensorSpec> missing;  // expected, not in the file
  std::vector<WrongShape> wrong_shape;
  std::vector<TensorSpec> left_over;  // in the file, not expected

  bool complete() const { return missing.empty() && wrong_shape.empty() && left_over.empty(); }

  /// "95 of 97 tensors match; missing: "bn1.bias" [16]; ...", the first few of each kind by name.
  std::string summary() const;
};

/// The values of exactly the tensors expected, in their order. A tensor that is missing, extra or of
/// another shape throws FormatError, which names the file, the tensor and both shapes. PyTorch's
/// counters `*.num_batches_tracked`, which no computation here uses, may be there.
std::vector<std::vector<float>> load_weights(const std::filesystem::path& file,
                                             std::span<const TensorSpec> expected);

struct MatchingWeights {
  std::vector<std::vector<float>> values;  // as expected; empty where the file has none that fits
  LoadReport report;
};

/// What wrappers and training scripts put in front of a backbone's names.
constexpr std::array<std::string_view, 3> kUsualPrefixes = {"module.", "backbone.", "encoder."};

/// The values of those expected tensors that the file has in the right shape. A file's name counts
/// as it is or without any number of leading prefixes; as it is comes first. Throws FormatError if
/// two tensors of the file claim one name, or none fits.
MatchingWeights load_matching_weights(const std::filesystem::path& file,
                                      std::span<const TensorSpec> expected,
                                      std::span<const std::string_view> prefixes = kUsualPrefixes);

/// Writes f32 tensors in the order given. `values_of(i)` gives the values of tensor i and is called
/// once each, in order. Values that are not finite throw NonFiniteError, and the file stays as it was.
void save_weights(const std::filesystem::path& file,
                  std::span<const TensorSpec> tensors,
                  const std::function<std::vector<float>(std::size_t)>& values_of,
                  files::Metadata metadata = {});

}  // namespace opencd::nn
