// Labels that users keep in a file of their own: the real-life case of a set that is labelled in
// part. Rows named in the file are labelled, all others are not.
//
//   pictures  CSV with the header path,label: path relative to the root of the set, class name
//   arrays    CSV with the header row,label: row from 0, class number; or a one-dimensional .npy
//             with a class number for every row, -1 where there is none
#pragma once

#include "data/image_set.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::data {

struct LabelLine {
  std::size_t line = 0;  ///< in the file, from 1
  std::string key;       ///< path or row
  std::string label;
};

/// Reads CSV (RFC 4180) with exactly the two columns `key_column`,label. Keys are unique, no cell is
/// empty, all text is UTF-8 without control characters.
std::vector<LabelLine> parse_labels_csv(std::string_view text,
                                        std::string_view key_column,
                                        const std::string& name);

/// The same with any two columns; `tag` is the operation in messages: "names".
struct CsvColumns {
  std::string_view tag;
  std::string_view key;
  std::string_view value;
};
std::vector<LabelLine> parse_two_columns(std::string_view text,
                                         const CsvColumns& columns,
                                         const std::string& name);

/// A class number or kNoLabel for each of `rows` rows, from either form for arrays.
std::vector<std::int32_t> read_row_labels(const std::filesystem::path& path, std::size_t rows);

/// Marks the rows that the file labels. If the labels are names of classes that the set has, its
/// own classes stay the truth for all rows and must agree; if none of them is, the classes are those
/// of the file, sorted by name, and all other rows lose theirs.
ImageSet apply_labels_file(ImageSet set, const std::filesystem::path& path);

}  // namespace opencd::data
