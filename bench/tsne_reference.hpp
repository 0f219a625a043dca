// Neighbours and forces of t-SNE in doubles, for tests and checks of the kernels. Maps are two
// planes, 2 x rows.
#pragma once

#include "kernels/tsne.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace opencd::bench {

inline double squared_distance(const float* x, const float* y, std::size_t columns) {
  double sum = 0.0;
  for (std::size_t c = 0; c < columns; ++c) sum += std::pow(static_cast<double>(x[c]) - y[c], 2.0);
  return sum;
}

/// The k nearest others of a row, ascending; of equally near ones the first.
inline std::vector<std::int32_t> reference_nearest(std::span<const float> points,
                                                   std::size_t columns,
                                                   std::size_t row,
                                                   std::size_t k) {
  std::vector<std::pair<double, std::int32_t>> others;
  for (std::size_t j = 0; j < points.size() / columns; ++j)
    if (j != row)
      others.emplace_back(squared_distance(&points[row * columns], &points[j * columns], columns),
                          static_cast<std::int32_t>(j));
  std::sort(others.begin(), others.end());
  std::vector<std::int32_t> nearest;
  nearest.reserve(k);
  for (std::size_t n = 0; n < k; ++n) nearest.push_back(others[n].second);
  std::sort(nearest.begin(), nearest.end());
  return nearest;
}

/// p(j|i) of the neighbours at these squared distances.
inline std::vector<double> reference_affinities(std::span<const float> distances,
                                                double perplexity) {
  const double least = *std::min_element(distances.begin(), distances.end());
  double low = 0.0;
  double high = 1e30;
  std::vector<double> p(distances.size());
  for (int step = 0; step < 400; ++step) {
    const double beta = low == 0.0 ? high / 2.0 : std::sqrt(low) * std::sqrt(high);
    double sum = 0.0;
    for (std::size_t n = 0; n < p.size(); ++n)
      sum += p[n] = std::exp(-beta * (distances[n] - least));
    double entropy = 0.0;
    for (double& value : p) {
      value /= sum;
      if (value > 0.0) entropy -= value * std::log(value);
    }
    (entropy > std::log(perplexity) ? low : high) = beta;
  }
  return p;
}

struct ReferenceForces {
  std::vector<double> pushes;  // 2 x rows
  std::vector<double> weights;
};

inline ReferenceForces reference_repulsion(std::span<const float> map) {
  const std::size_t rows = map.size() / 2;
  ReferenceForces forces{std::vector<double>(map.size(), 0.0), std::vector<double>(rows, 0.0)};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) {
      const double a = static_cast<double>(map[i]) - map[j];
      const double b = static_cast<double>(map[rows + i]) - map[rows + j];
      const double w = 1.0 / (1.0 + a * a + b * b);
      if (i != j) forces.weights[i] += w;
      forces.pushes[i] += w * w * a;
      forces.pushes[rows + i] += w * w * b;
    }
  return forces;
}

/// The pull on every point: sum_j p_ij w_ij (y_i - y_j), 2 x rows.
inline std::vector<double> reference_attraction(std::span<const float> map,
                                                std::span<const std::int32_t> starts,
                                                std::span<const std::int32_t> columns,
                                                std::span<const float> affinities) {
  const std::size_t rows = map.size() / 2;
  std::vector<double> pulls(map.size(), 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (auto n = static_cast<std::size_t>(starts[i]); n < static_cast<std::size_t>(starts[i + 1]);
         ++n) {
      const auto j = static_cast<std::size_t>(columns[n]);
      const double a = static_cast<double>(map[i]) - map[j];
      const double b = static_cast<double>(map[rows + i]) - map[rows + j];
      const double pull = affinities[n] / (1.0 + a * a + b * b);
      pulls[i] += pull * a;
      pulls[rows + i] += pull * b;
    }
  return pulls;
}

/// A coordinate, how fast it moves and its gain after a step against `gradient`.
struct ReferenceCoordinate {
  double place = 0.0;
  double velocity = 0.0;
  double gain = 1.0;

  void step(double gradient, const kernels::TsneRates& rates) {
    gain = std::max(velocity * gradient < 0.0 ? gain + 0.2 : gain * 0.8, 0.01);
    velocity = rates.momentum * velocity - rates.learning_rate * gain * gradient;
    place += velocity;
  }
};

}  // namespace opencd::bench
