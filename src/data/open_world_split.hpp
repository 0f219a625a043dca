// Which training rows come with their label. The rule is ORCA's, which OpenNCD shares bit for bit:
// walk the rows in file order; for each row of a known class draw one number from NumPy's legacy
// generator seeded with 0; the row is labelled if the number is below the ratio. Rows of all other
// classes are unlabelled and their classes are to be discovered. The run's seed plays no part.
#pragma once

#include "data/image_set.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace opencd::data {

struct SplitOptions {
  std::size_t known = 0;  ///< number of known classes; 0 means half of them
  double labeled_ratio = 0.1;
  /// Names of the known classes in order, in place of the first `known` by number.
  std::vector<std::string> known_classes;
};

struct OpenWorldSplit {
  std::string data_hash;                  ///< of the set it was made for
  std::size_t rows = 0;                   ///< training rows: labelled and unlabelled together
  std::vector<std::int32_t> class_order;  ///< labels of the data set, known ones first
  std::size_t known = 0;                  ///< how many of them are known
  std::vector<std::uint32_t> labeled;     ///< row numbers, ascending
  std::vector<std::uint32_t> unlabeled;   ///< all others, ascending

  std::span<const std::int32_t> known_classes() const {
    return std::span(class_order).first(known);
  }
  /// Of data hash, rows, class order and labelled rows.
  std::string hash() const;
};

/// Splits the training rows. Where the user gave labels in a file, exactly those rows are labelled,
/// their classes are known, and the options must be left alone.
OpenWorldSplit open_world_split(const ImageSet& set, const SplitOptions& options);

/// The place of each row's class in the class order: known classes come out as 0 .. known-1, as
/// losses and scores want them. kNoLabel stays.
std::vector<std::int32_t> class_places(const OpenWorldSplit& split,
                                       std::span<const std::int32_t> labels);

/// All rows below `rows` that `labeled` (ascending) does not name.
std::vector<std::uint32_t> other_rows(std::span<const std::uint32_t> labeled, std::size_t rows);

}  // namespace opencd::data
