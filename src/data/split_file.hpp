// splits.json: a split that can be kept, shared and used again. JSON with exactly these keys:
//   format       "opencd_sycl splits 1"
//   data_hash    of the data set it was made for
//   rows         training rows
//   known        number of known classes
//   class_order  labels of the data set, known ones first
//   labeled      numbers of the labelled rows, ascending; all others are unlabelled
//   hash         of all of the above
#pragma once

#include "data/open_world_split.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace opencd::data {

std::string split_to_json(const OpenWorldSplit& split);

/// FormatError unless the text is a split that is consistent in itself and has the right hash.
OpenWorldSplit parse_split(std::string_view text, const std::string& name);

void write_split(const OpenWorldSplit& split, const std::filesystem::path& path);

/// Reads a split for `set`: it must have been made for the same data, and its labelled rows must be
/// of known classes.
OpenWorldSplit read_split(const std::filesystem::path& path, const ImageSet& set);

}  // namespace opencd::data
