// IDX files of the MNIST family, plain or gzipped: two zero bytes, element type, number of
// dimensions, the dimensions as big-endian 32-bit numbers, then the elements. Only unsigned bytes
// are read here, as images (rows x height x width) and labels (rows).
#pragma once

#include "data/image_set.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::data {

struct IdxArray {
  std::vector<std::size_t> shape;
  std::vector<std::uint8_t> values;
};

/// The array in `file`; FormatError if its size is not exactly what its header says.
IdxArray parse_idx(std::span<const std::uint8_t> file, const std::string& name);

/// Whether `folder` holds a pair of image and label files.
bool is_idx_folder(const std::filesystem::path& folder);

/// The pair called train-* and, held out, the pair called t10k-* or test-*. A folder with one pair
/// has training rows only. `rgb` repeats the grey channel three times. The classes are called by
/// `names` if there are as many, else by their numbers.
ImageSet read_idx(const std::filesystem::path& folder,
                  bool rgb,
                  std::span<const std::string_view> names = {});

}  // namespace opencd::data
