// Distances of rows on the host, in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

/// `point` holds as many numbers as `row`, floats or doubles.
template <class Number>
double squared_distance(std::span<const float> row, std::span<const Number> point) {
  double sum = 0.0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const double difference = static_cast<double>(row[c]) - point[c];
    sum += difference * difference;
  }
  return sum;
}

/// The nearest centre of every row, the first of equally near ones; both are row-major.
std::vector<std::int32_t> nearest_centres(std::span<const float> rows,
                                          std::span<const float> centres,
                                          std::size_t columns);

}  // namespace opencd
