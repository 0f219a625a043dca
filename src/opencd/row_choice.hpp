// Which rows of a training set are looked at between epochs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace opencd {

inline std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

/// `wanted` row numbers below `rows`, evenly spread; all of them where 0 or more than there are is
/// wanted.
inline std::vector<std::uint32_t> evenly_spread(std::size_t rows, std::size_t wanted) {
  const std::size_t count = wanted == 0 ? rows : std::min(wanted, rows);
  std::vector<std::uint32_t> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<std::uint32_t>(i * rows / count);
  return result;
}

/// The rows whose label is given, or those whose label is not, in order.
inline std::vector<std::uint32_t> rows_labelled(std::span<const std::int32_t> labels, bool given) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < labels.size(); ++row)
    if ((labels[row] >= 0) == given) rows.push_back(row);
  return rows;
}

}  // namespace opencd
