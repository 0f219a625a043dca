// Checks of sizes, shared by all functions of `kernels`.
#pragma once

#include "error.hpp"
#include "kernels/memory.hpp"

#include <limits>

namespace opencd::kernels {

inline void require_equal(const char* operation,
                          const char* what,
                          std::size_t expected,
                          std::size_t got) {
  if (expected != got)
    fail<ShapeError>("[{}] expected {} {}, got {}", operation, expected, what, got);
}

template <class A, class B>
void require_same_shape(const char* operation, const Rows<A>& expected, const Rows<B>& got) {
  require_equal(operation, "rows", expected.rows, got.rows);
  require_equal(operation, "columns", expected.columns, got.columns);
}

/// Row lengths, block sizes and counts of groups are `int` inside kernels.
inline int to_int(const char* operation, std::size_t value) {
  if (value > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    fail<ShapeError>("[{}] expected at most {} entries in a row, got {}", operation,
                     std::numeric_limits<int>::max(), value);
  return static_cast<int>(value);
}

}  // namespace opencd::kernels
