// Pictures and features that users keep as .npy or .npz arrays.
//
// Pictures: unsigned bytes of shape (rows, height, width), (rows, height, width, 1 or 3) or
// (rows, 1 or 3, height, width). Features: numbers of shape (rows, columns). In an archive the rows
// are called x, x_train, images, features, data or arr_0, their classes y, y_train, labels, targets
// or arr_1; x_test and y_test are held out.
#pragma once

#include "data/image_set.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace opencd::data {

/// Embeddings from elsewhere: `values` holds rows x columns finite floats.
struct FeatureSet {
  std::string name;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;
  std::vector<std::int32_t> labels;  ///< empty if the file has none
  std::string hash;

  std::span<const float> row(std::size_t index) const {
    return std::span(values).subspan(index * columns, columns);
  }
};

bool is_array_file(const std::filesystem::path& path);

/// Whether the rows of an array file are features and not pictures.
bool holds_features(const std::filesystem::path& path);

/// Rows without labels get kNoLabel. `rgb` widens grey pictures to three channels.
ImageSet read_image_arrays(const std::filesystem::path& path, bool rgb);

FeatureSet read_features(const std::filesystem::path& path);

}  // namespace opencd::data
