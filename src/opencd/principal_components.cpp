#include "opencd/principal_components.hpp"

#include "error.hpp"
#include "nn/gemm.hpp"
#include "opencd/centred_rows.hpp"
#include "opencd/principal_axes.hpp"

namespace opencd {

namespace {

/// X^T X / N minus the product of the means, which the host takes off in double precision.
std::vector<double> covariance(const nn::Engine& engine, kernels::Rows<const float> rows) {
  kernels::Device& device = engine.device();
  const std::size_t n = rows.columns;
  const kernels::Buffer<float> products(device, n * n);
  nn::gemm(engine, rows, rows, products.rows(n, n),
           {.transpose_left = true, .alpha = 1.0f / static_cast<float>(rows.rows)});
  const std::vector<float> second = kernels::to_host(device, products);
  const std::vector<float> mean = kernels::to_host(device, column_means(device, rows));
  std::vector<double> result(second.begin(), second.end());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result[i * n + j] -= static_cast<double>(mean[i]) * mean[j];
  return result;
}

}  // namespace

kernels::Buffer<float> principal_directions(const nn::Engine& engine,
                                            kernels::Rows<const float> rows,
                                            std::size_t count) {
  if (count == 0 || count > rows.columns)
    fail<UsageError>("[pca] expected 1 to {} components, as many as there are columns, got {}",
                     rows.columns, count);
  return kernels::to_device(engine.device(),
                            principal_axes(covariance(engine, rows), rows.columns, count));
}

kernels::Buffer<float> principal_components(const nn::Engine& engine,
                                            kernels::Rows<const float> rows,
                                            std::size_t count) {
  const kernels::Buffer<float> about_mean(engine.device(), rows.size());
  centre_rows(engine, rows, about_mean.rows(rows.rows, rows.columns));
  const kernels::Rows<float> points = about_mean.rows(rows.rows, rows.columns);
  const kernels::Buffer<float> axes = principal_directions(engine, points, count);
  kernels::Buffer<float> result(engine.device(), rows.rows * count);
  nn::gemm(engine, points, axes.rows(count, rows.columns), result.rows(rows.rows, count),
           {.transpose_right = true});
  return result;
}

}  // namespace opencd
