// The longest stretch of neighbours that agree: how a stable number of groups is told from a chance.
#pragma once

#include <cstddef>
#include <span>

namespace opencd {

/// The longest run of consecutive values with the same `number(value)`, the first of equally long
/// ones; values without a number, nullopt, belong to no run. Empty if none has one.
template <class T, class Number>
std::span<const T> longest_run(std::span<const T> values, Number number) {
  std::span<const T> longest;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    const auto first = number(values[begin]);
    while (end < values.size() && number(values[end]) == first) ++end;
    if (first.has_value() && end - begin > longest.size())
      longest = values.subspan(begin, end - begin);
  }
  return longest;
}

}  // namespace opencd
