// DipDECK (Leiber et al., "Dip-based deep embedded clustering with k-estimation", KDD 2021): an
// autoencoder learns a space of few dimensions, far too many clusters are made there, and the
// network is trained on while clusters without a gap between them, by the dip test, are merged.
#pragma once

#include "nn/autoencoder.hpp"
#include "opencd/counting/counting_watch.hpp"

#include <cstdint>
#include <vector>

namespace opencd {

struct DipDeckOptions {
  std::size_t clusters = 35;  // at the start: the most that can be found
  std::int64_t pretrain_epochs = 100;
  std::int64_t epochs = 50;  // at most, after the start and after every merge
  std::int64_t batch = 256;
  double pretrain_rate = 1e-3;
  double rate = 1e-4;
  double merge_threshold = 0.9;  // p-value from which two clusters are one
  std::vector<std::int64_t> hidden = nn::AutoencoderConfig{}.hidden;
  std::int64_t embedding = nn::AutoencoderConfig{}.embedding;
  std::uint32_t seed = 0;
  bool deterministic = false;
};

struct DipDeckResult {
  std::vector<std::int32_t> cluster_of;
  std::vector<float> embedded;  // rows x embedding
  std::vector<float> centres;   // clusters x embedding
};

/// `rows` should be about 0 with entries of order 1. The same rows, options and device give the
/// same bits. Throws NonFiniteError where training fails.
DipDeckResult dipdeck(const nn::Engine& engine,
                      kernels::Rows<const float> rows,
                      const DipDeckOptions& options,
                      const CountingWatch& watch);

}  // namespace opencd
