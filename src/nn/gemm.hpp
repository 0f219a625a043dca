// Matrix product: dst = alpha op(left) op(right) + beta dst, row-major f32, op the identity or the
// transpose.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"

namespace opencd::nn {

using kernels::Rows;
using kernels::View;

/// Which library multiplies. `automatic` takes oneMKL where it serves the device, else oneDNN
/// (which goes on to the vendor's own BLAS).
enum class GemmBackend { automatic, onemkl, onednn };

struct GemmOptions {
  bool transpose_left = false;
  bool transpose_right = false;
  float alpha = 1.0f;
  float beta = 0.0f;  // 0: what dst held before, NaN included, does not matter
  GemmBackend backend = GemmBackend::automatic;
};

void gemm(const Engine& engine,
          Rows<const float> left,
          Rows<const float> right,
          Rows<float> dst,
          const GemmOptions& options = {});

}  // namespace opencd::nn
