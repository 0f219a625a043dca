#include "nn/pool2d.hpp"

#include "kernels/check.hpp"
#include "nn/reorder.hpp"

#include <algorithm>

namespace opencd::nn {

Pool2d::Pool2d(Model& model, const Pool2dConfig& config, const Desc& src, Use use)
    : model_(model), src_desc_(src) {
  const Shape shape = shape_of(src);
  const bool whole = config.kernel == 0;
  const Dims kernel = whole ? Dims{shape.h, shape.w} : Dims{config.kernel, config.kernel};
  const Dims strides{config.stride, config.stride};
  const Dims padding{config.padding, config.padding};
  const Dims dilation{0, 0};
  const auto side = [&](std::int64_t length, std::int64_t window) {
    return (length + 2 * config.padding - window) / config.stride + 1;
  };
  const Shape dst{shape.n, shape.c, side(shape.h, kernel[0]), side(shape.w, kernel[1])};
  if (dst.h < 1 || dst.w < 1)
    fail<ShapeError>("[pool2d] expected a picture of at least {} x {}, got {} x {}", kernel[0],
                     kernel[1], shape.h, shape.w);
  const auto algorithm = config.kind == PoolKind::maximum
                             ? dnnl::algorithm::pooling_max
                             : dnnl::algorithm::pooling_avg_exclude_padding;
  // Training keeps where the maxima were; nobody needs that when nothing is trained.
  const auto kind =
      is_trained(use) ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const dnnl::pooling_forward::primitive_desc forward(
      model.engine().dnnl(), kind, algorithm, src, any_desc(dst.dims()), strides, kernel, dilation,
      padding, padding, model.attributes());
  dst_desc_ = forward.dst_desc();
  workspace_desc_ = forward.workspace_desc();
  forward_ = model.operation<dnnl::pooling_forward>("pool forward", forward);
  if (!is_trained(use)) return;
  const dnnl::pooling_backward::primitive_desc backward(
      model.engine().dnnl(), algorithm, src, dst_desc_, strides, kernel, dilation, padding, padding,
      forward, model.attributes());
  backward_ = model.operation<dnnl::pooling_backward>("pool backward", backward);
}

std::size_t Pool2d::scratch_bytes() const {
  return std::max(forward_.scratchpad.get_size(), backward_.scratchpad.get_size());
}

void Pool2d::forward(View<const float> src, View<float> dst, View<float> workspace) const {
  kernels::require_equal("pool2d", "floats in src", floats_of(src_desc_), src.size);
  kernels::require_equal("pool2d", "floats in dst", floats_of(dst_desc_), dst.size);
  Arguments arguments{{DNNL_ARG_SRC, model_.wrap(src_desc_, src.data)},
                      {DNNL_ARG_DST, model_.wrap(dst_desc_, dst.data)}};
  if (workspace_desc_.get_size() != 0)
    arguments.insert({DNNL_ARG_WORKSPACE, model_.wrap(workspace_desc_, workspace.data)});
  model_.execute(forward_, std::move(arguments));
}

void Pool2d::backward(View<const float> diff_dst,
                      View<float> diff_src,
                      View<float> workspace) const {
  kernels::require_equal("pool2d", "floats in diff_dst", floats_of(dst_desc_), diff_dst.size);
  kernels::require_equal("pool2d", "floats in diff_src", floats_of(src_desc_), diff_src.size);
  Arguments arguments{{DNNL_ARG_DIFF_DST, model_.wrap(dst_desc_, diff_dst.data)},
                      {DNNL_ARG_DIFF_SRC, model_.wrap(src_desc_, diff_src.data)}};
  if (workspace_desc_.get_size() != 0)
    arguments.insert({DNNL_ARG_WORKSPACE, model_.wrap(workspace_desc_, workspace.data)});
  model_.execute(backward_, std::move(arguments));
}

GlobalAveragePool::GlobalAveragePool(Model& model, const Desc& src, Use use)
    : model_(model),
      pool_(model, {.kind = PoolKind::average}, src, use),
      rows_desc_(plain_desc(pool_.dst_desc().get_dims())) {
  model.reserve_operation(Scratch::aligned(pool_.dst_desc().get_size()) + pool_.scratch_bytes());
}

void GlobalAveragePool::forward(View<const float> src, kernels::Rows<float> dst) const {
  kernels::require_equal("global_average_pool", "floats in dst", floats_of(rows_desc_), dst.size());
  const Scratch::Frame frame(model_.scratch());
  const auto pooled = model_.scratch().take<float>(floats_of(pool_.dst_desc()));
  pool_.forward(src, pooled, {});
  reorder(model_.engine(), pool_.dst_desc(), pooled, rows_desc_, dst.flat());
}

void GlobalAveragePool::backward(kernels::Rows<const float> diff_dst, View<float> diff_src) const {
  kernels::require_equal("global_average_pool", "floats in diff_dst", floats_of(rows_desc_),
                         diff_dst.size());
  const Scratch::Frame frame(model_.scratch());
  const auto pooled = model_.scratch().take<float>(floats_of(pool_.dst_desc()));
  reorder(model_.engine(), rows_desc_, diff_dst.flat(), pool_.dst_desc(), pooled);
  pool_.backward(pooled, diff_src, {});
}

}  // namespace opencd::nn
