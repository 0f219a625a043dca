// What is known of the classes of feature rows: labels of some, for the method, and perhaps the
// truth of all, for scores alone. Class numbers are the user's own and may have gaps; inside, classes
// are places in an order that has the known ones first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd::data {

struct FeatureClasses {
  std::vector<std::int32_t>
      class_order;                   ///< class numbers: labelled ones, then others of the truth
  std::size_t known = 0;             ///< how many have labelled rows
  std::vector<std::int32_t> labels;  ///< place of every labelled row's class; else kNoLabel
  std::vector<std::int32_t> truth;   ///< the same of the truth; empty if there is none
  std::size_t labelled = 0;          ///< rows
  std::size_t contradicted = 0;      ///< labelled rows that the truth knows otherwise

  /// The truth of unlabelled rows only.
  std::vector<std::int32_t> hidden_truth() const;
};

/// Both hold class numbers or kNoLabel; `truth` may be empty.
FeatureClasses feature_classes(std::span<const std::int32_t> labels,
                               std::span<const std::int32_t> truth);

}  // namespace opencd::data
