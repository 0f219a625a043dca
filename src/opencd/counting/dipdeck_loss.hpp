// The loss by which DipDECK moves rows towards the clusters that they may belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

/// e: rows of a batch, m: centres, both embedded; a(i): the cluster of row i.
struct DipDeckBatch {
  std::span<const float> rows;     // batch x columns
  std::span<const float> centres;  // clusters x columns
  std::size_t columns = 0;
  std::span<const std::int32_t> cluster_of;  // of the batch
  std::span<const double> belonging;         // R, clusters x clusters
};

struct DipDeckLoss {
  double value = 0.0;
  std::vector<float> diff_rows;
  std::vector<float> diff_centres;
};

/// L = mean_i sum_b R[a(i)][b] |e_i - m_b|^2 (1 + s) / d, where d and s are the mean and the
/// standard deviation of the distances between centres (s = 0 for two). Gradients flow through
/// rows, centres and distances. With one cluster, or centres that coincide, there is no scale, and
/// 1 takes the place of (1 + s) / d.
DipDeckLoss dipdeck_loss(const DipDeckBatch& batch);

}  // namespace opencd
