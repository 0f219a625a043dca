#include "opencd/counting/dipdeck_loss.hpp"

#include "opencd/counting/distances.hpp"

#include <cmath>

namespace opencd {

namespace {

/// (1 + s) / d and its gradient by the centres.
struct CentreScale {
  double value = 1.0;
  std::vector<double> diff_centres;
};

CentreScale centre_scale(std::span<const float> centres, std::size_t columns) {
  const std::size_t clusters = centres.size() / columns;
  CentreScale scale{1.0, std::vector<double>(centres.size(), 0.0)};
  std::vector<double> distances(clusters * clusters, 0.0);
  double count = 0.0;
  double sum = 0.0;
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b) {
      const double distance = std::sqrt(squared_distance(centres.subspan(a * columns, columns),
                                                         centres.subspan(b * columns, columns)));
      distances[a * clusters + b] = distance;
      sum += distance;
      count += distance > 0.0 ? 1.0 : 0.0;
    }
  if (count == 0.0) return scale;
  const double mean = sum / count;
  double squares = 0.0;
  for (const double distance : distances)
    if (distance > 0.0) squares += (distance - mean) * (distance - mean);
  const double deviation = count > 2.0 ? std::sqrt(squares / (count - 1.0)) : 0.0;
  scale.value = (1.0 + deviation) / mean;
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b) {
      const double distance = distances[a * clusters + b];
      if (distance == 0.0) continue;
      const double by_deviation =
          deviation > 0.0 ? (distance - mean) / ((count - 1.0) * deviation * mean) : 0.0;
      const double slope = by_deviation - (1.0 + deviation) / (mean * mean * count);
      // Every pair comes twice, once from either side.
      for (std::size_t c = 0; c < columns; ++c)
        scale.diff_centres[a * columns + c] +=
            2.0 * slope *
            (static_cast<double>(centres[a * columns + c]) - centres[b * columns + c]) / distance;
    }
  return scale;
}

}  // namespace

DipDeckLoss dipdeck_loss(const DipDeckBatch& batch) {
  const std::size_t columns = batch.columns;
  const std::size_t rows = batch.cluster_of.size();
  const std::size_t clusters = batch.centres.size() / columns;
  const CentreScale scale = centre_scale(batch.centres, columns);
  double sum = 0.0;
  std::vector<double> diff_rows(batch.rows.size(), 0.0);
  std::vector<double> diff_centres(batch.centres.size(), 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t b = 0; b < clusters; ++b) {
      const auto row = batch.rows.subspan(i * columns, columns);
      const auto centre = batch.centres.subspan(b * columns, columns);
      const double share =
          batch.belonging[static_cast<std::size_t>(batch.cluster_of[i]) * clusters + b] /
          static_cast<double>(rows);
      sum += share * squared_distance(row, centre);
      for (std::size_t c = 0; c < columns; ++c) {
        const double slope = 2.0 * share * scale.value * (static_cast<double>(row[c]) - centre[c]);
        diff_rows[i * columns + c] += slope;
        diff_centres[b * columns + c] -= slope;
      }
    }
  for (std::size_t i = 0; i < diff_centres.size(); ++i)
    diff_centres[i] += sum * scale.diff_centres[i];
  return {sum * scale.value,
          {diff_rows.begin(), diff_rows.end()},
          {diff_centres.begin(), diff_centres.end()}};
}

}  // namespace opencd
