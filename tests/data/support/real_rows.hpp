// What is compared of a real data set: its bytes as digests, and the sizes of its splits.
#pragma once

#include "data/content_hash.hpp"
#include "data/open_data_set.hpp"
#include "data/open_world_split.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace opencd::test {

inline std::string digest_of(std::span<const std::uint8_t> bytes) {
  data::ContentHash hash;
  hash.add(bytes);
  return hash.digits();
}

inline std::string pixels_of(const data::ImageRows& rows) { return digest_of(rows.pixels.view()); }

inline std::string labels_of(const data::ImageRows& rows) {
  return digest_of(std::vector<std::uint8_t>(rows.labels.begin(), rows.labels.end()));
}

/// CIFAR's 50,000 training rows, split as the paper's experiments split them.
inline void check_cifar_split(const data::ImageSet& set,
                              std::size_t known,
                              double ratio,
                              std::size_t labeled) {
  const data::OpenWorldSplit split =
      data::open_world_split(set, {.known = known, .labeled_ratio = ratio});
  CHECK_EQ(split.labeled.size(), labeled);
  CHECK_EQ(split.unlabeled.size(), 50'000 - labeled);
}

}  // namespace opencd::test
