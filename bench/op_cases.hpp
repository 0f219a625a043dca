// Every kernel family and GEMM as cases with a double-precision host reference: `bench ops` times
// them at large sizes, `doctor` only checks them, at awkward ones.
#pragma once

#include "bench/measure.hpp"
#include "nn/engine.hpp"

namespace opencd::bench {

struct OpSizes {
  std::size_t elements = 0;  // of element-wise kernels, 4 bytes each
  std::size_t rows = 0;      // of row-wise kernels
  std::size_t columns = 0;
};

/// Element-wise kernels and the squared norm.
std::vector<Case> streaming_cases(kernels::Device& device, const OpSizes& sizes);
/// Softmax, L2 normalisation, top-k, column sums, group aggregation.
std::vector<Case> row_cases(kernels::Device& device, const OpSizes& sizes);
/// The losses of OpenNCD for rows x columns probabilities in both forms; positive pairs and SupCon
/// over that many rows.
std::vector<Case> loss_cases(kernels::Device& device, const OpSizes& sizes);
/// Nearest rows and the parts of t-SNE, for that many rows, two or more.
std::vector<Case> map_cases(kernels::Device& device, const OpSizes& sizes);
/// The losses of the compared methods: cross-entropy and pseudo-labels, consistency, pairs by ranks,
/// deep clustering, weighted consistency.
std::vector<Case> method_loss_cases(kernels::Device& device, const OpSizes& sizes);
/// gemm of n x n matrices through a backend.
Case gemm_case(const nn::Engine& engine, std::size_t n, bool onemkl);

}  // namespace opencd::bench
