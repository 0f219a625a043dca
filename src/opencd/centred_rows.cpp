#include "opencd/centred_rows.hpp"

#include "kernels/columns.hpp"
#include "kernels/elementwise.hpp"
#include "nn/gemm.hpp"

namespace opencd {

kernels::Buffer<float> column_means(kernels::Device& device, kernels::Rows<const float> rows) {
  kernels::Scratch scratch(device, kernels::column_scratch_bytes(rows.rows, rows.columns));
  kernels::Buffer<float> mean(device, rows.columns);
  kernels::column_mean(device, scratch, rows, mean);
  return mean;
}

void centre_rows(const nn::Engine& engine,
                 kernels::Rows<const float> src,
                 kernels::Rows<float> dst) {
  kernels::Device& device = engine.device();
  const kernels::Buffer<float> mean = column_means(device, src);
  if (dst.data != src.data) kernels::copy(device, src.flat(), dst.flat());
  // One product with a column of ones takes the mean off every row.
  const auto ones = kernels::to_device(device, std::vector<float>(src.rows, 1.0f));
  nn::gemm(engine, ones.rows(src.rows, 1), mean.rows(1, src.columns), dst,
           {.alpha = -1.0f, .beta = 1.0f});
}

}  // namespace opencd
