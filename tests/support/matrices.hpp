// Matrices for kernel tests: the sizes at which kernels go wrong, and views of buffers as rows.
#pragma once

#include "kernels/memory.hpp"
#include "support/device.hpp"
#include "support/random.hpp"

#include <fmt/format.h>

#include <ostream>
#include <vector>

namespace opencd::test {

struct MatrixShape {
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::size_t size() const { return rows * columns; }
};

inline std::ostream& operator<<(std::ostream& out, const MatrixShape& shape) {
  return out << fmt::format("{} x {}", shape.rows, shape.columns);
}

/// One entry; odd; one work-group of a CPU (16) and of a GPU (64 to 256); several; not a multiple;
/// many rows.
inline std::vector<MatrixShape> awkward_shapes() {
  return {{1, 1},  {1, 7},   {3, 1},   {5, 15},   {4, 16},   {7, 17},
          {2, 64}, {3, 255}, {9, 257}, {33, 500}, {2, 4099}, {100'000, 10}};
}

/// The same for element-wise kernels.
inline std::vector<std::size_t> awkward_sizes() {
  return {0, 1, 3, 15, 16, 17, 255, 256, 257, 1000, 65'537, 1'000'003};
}

template <class T>
kernels::Rows<T> rows_of(const kernels::Buffer<T>& buffer, MatrixShape shape) {
  return buffer.rows(shape.rows, shape.columns);
}

template <class T>
double row_sum(const std::vector<T>& values, MatrixShape shape, std::size_t row) {
  double sum = 0.0;
  for (std::size_t c = 0; c < shape.columns; ++c) sum += values[row * shape.columns + c];
  return sum;
}

}  // namespace opencd::test
