#include "nn/gemm.hpp"

#include "kernels/check.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/sycl_access.hpp"

#if defined(OPENCD_ONEMKL)
#include <oneapi/mkl/blas.hpp>
#endif

namespace opencd::nn {

namespace {

/// The product as the libraries want it: m x k times k x n.
struct Sizes {
  std::int64_t m, n, k;
};

Sizes sizes_of(const Rows<const float>& left,
               const Rows<const float>& right,
               const Rows<float>& dst,
               const GemmOptions& options) {
  const std::size_t m = options.transpose_left ? left.columns : left.rows;
  const std::size_t k = options.transpose_left ? left.rows : left.columns;
  const std::size_t right_k = options.transpose_right ? right.columns : right.rows;
  const std::size_t n = options.transpose_right ? right.rows : right.columns;
  kernels::require_equal("gemm", "rows of op(right), the columns of op(left)", k, right_k);
  kernels::require_equal("gemm", "rows of dst", m, dst.rows);
  kernels::require_equal("gemm", "columns of dst", n, dst.columns);
  return {static_cast<std::int64_t>(m), static_cast<std::int64_t>(n), static_cast<std::int64_t>(k)};
}

void gemm_onemkl([[maybe_unused]] const Engine& engine,
                 [[maybe_unused]] const Sizes& sizes,
                 [[maybe_unused]] const Rows<const float>& left,
                 [[maybe_unused]] const Rows<const float>& right,
                 [[maybe_unused]] const Rows<float>& dst,
                 [[maybe_unused]] const GemmOptions& options) {
#if defined(OPENCD_ONEMKL)
  namespace mkl = oneapi::mkl;
  const auto op = [](bool transposed) {
    return transposed ? mkl::transpose::trans : mkl::transpose::nontrans;
  };
  const auto stride = [](std::size_t columns) { return static_cast<std::int64_t>(columns); };
  kernels::submit(engine.device(), kernels::Submitter::library, "gemm", [&](sycl::queue& queue) {
    return mkl::blas::row_major::gemm(
        queue, op(options.transpose_left), op(options.transpose_right), sizes.m, sizes.n, sizes.k,
        options.alpha, left.data, stride(left.columns), right.data, stride(right.columns),
        options.beta, dst.data, stride(dst.columns));
  });
#else
  fail<DeviceError>(
      "[gemm] expected a build with oneMKL, this one has none; use the oneDNN backend");
#endif
}

void gemm_onednn(const Engine& engine,
                 const Sizes& sizes,
                 const Rows<const float>& left,
                 const Rows<const float>& right,
                 const Rows<float>& dst,
                 const GemmOptions& options) {
  using Desc = dnnl::memory::desc;
  constexpr auto f32 = dnnl::memory::data_type::f32;
  const auto matrix = [](std::int64_t rows, std::int64_t columns, bool transposed) {
    return Desc({rows, columns}, f32,
                transposed ? dnnl::memory::dims{1, rows} : dnnl::memory::dims{columns, 1});
  };
  const Desc left_desc = matrix(sizes.m, sizes.k, options.transpose_left);
  const Desc right_desc = matrix(sizes.k, sizes.n, options.transpose_right);
  const Desc dst_desc = matrix(sizes.m, sizes.n, false);

  dnnl::post_ops post;
  if (options.alpha != 1.0f)
    post.append_eltwise(dnnl::algorithm::eltwise_linear, options.alpha, 0.0f);
  if (options.beta != 0.0f) post.append_sum(options.beta);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(post);
  // oneDNN keeps compiled primitives in a cache of its own, so making one again for the same sizes
  // is cheap.
  const dnnl::matmul product({engine.dnnl(), left_desc, right_desc, dst_desc, attributes});
  engine.execute("gemm", product,
                 {{DNNL_ARG_SRC, engine.wrap(left_desc, left.data)},
                  {DNNL_ARG_WEIGHTS, engine.wrap(right_desc, right.data)},
                  {DNNL_ARG_DST, engine.wrap(dst_desc, dst.data)}});
}

}  // namespace

void gemm(const Engine& engine,
          Rows<const float> left,
          Rows<const float> right,
          Rows<float> dst,
          const GemmOptions& options) {
  const Sizes sizes = sizes_of(left, right, dst, options);
  if (dst.size() == 0) return;
  if (sizes.k == 0) {  // an empty sum; the libraries refuse it
    if (options.beta == 0.0f)
      kernels::fill(engine.device(), dst.flat(), 0.0f);
    else
      kernels::scale(engine.device(), dst.flat(), options.beta);
    return;
  }
  const bool onemkl = options.backend == GemmBackend::onemkl ||
                      (options.backend == GemmBackend::automatic && engine.device().has_onemkl());
  (onemkl ? gemm_onemkl : gemm_onednn)(engine, sizes, left, right, dst, options);
}

}  // namespace opencd::nn
