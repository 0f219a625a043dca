// GCD's search for the number of classes: the number of clusters for which k-means over all rows
// agrees best with the labels that are given, by Brent's method over the numbers from the known
// classes to a bound.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"

#include <cstdint>
#include <span>

namespace opencd {

struct ClassSearchOptions {
  std::size_t known = 0;
  std::size_t most = 100;
  int starts = 3;  // of each k-means
  std::uint32_t seed = 0;
};

/// `labels`: the known class of every row, negative where it is not given.
std::size_t search_class_count(const nn::Engine& engine,
                               kernels::Rows<const float> rows,
                               std::span<const std::int32_t> labels,
                               const ClassSearchOptions& options);

}  // namespace opencd
