// Spherical Gaussians apart from each other: what counters of clusters must count.
#pragma once

#include "support/device.hpp"
#include "support/random.hpp"

#include <vector>

namespace opencd::test {

struct Gaussians {
  std::size_t clusters = 5;
  std::size_t columns = 2;
  std::size_t rows_each = 120;
  double apart = 12.0;  // least distance of two centres, in deviations of a column
  std::uint32_t seed = 1;
};

/// Row i is of cluster i % clusters.
inline std::vector<float> gaussian_rows(const Gaussians& g) {
  Random random(g.seed);
  std::vector<std::vector<double>> centres;
  // Within a box that grows until there is room for all.
  for (double box = g.apart; centres.size() < g.clusters; box *= 1.05) {
    std::vector<double> centre(g.columns);
    for (double& value : centre) value = box * random.normal();
    bool free = true;
    for (const auto& other : centres) {
      double squares = 0.0;
      for (std::size_t c = 0; c < g.columns; ++c)
        squares += (centre[c] - other[c]) * (centre[c] - other[c]);
      free = free && squares >= g.apart * g.apart;
    }
    if (free) centres.push_back(centre);
  }
  std::vector<float> rows;
  for (std::size_t i = 0; i < g.clusters * g.rows_each; ++i)
    for (std::size_t c = 0; c < g.columns; ++c)
      rows.push_back(static_cast<float>(centres[i % g.clusters][c] + random.normal()));
  return rows;
}

}  // namespace opencd::test
