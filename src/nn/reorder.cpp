#include "nn/reorder.hpp"

namespace opencd::nn {

void reorder(const Engine& engine,
             const Desc& src_desc,
             kernels::View<const float> src,
             const Desc& dst_desc,
             kernels::View<float> dst) {
  // oneDNN keeps compiled primitives in a cache, so making one again is cheap.
  const dnnl::reorder primitive({engine.dnnl(), src_desc, engine.dnnl(), dst_desc});
  engine.execute("reorder", primitive,
                 {{DNNL_ARG_FROM, engine.wrap(src_desc, src.data)},
                  {DNNL_ARG_TO, engine.wrap(dst_desc, dst.data)}});
}

void reorder_scaled(const Engine& engine,
                    const Desc& src_desc,
                    kernels::View<const float> src,
                    kernels::View<const float> scale,
                    const Desc& dst_desc,
                    kernels::View<float> dst) {
  dnnl::primitive_attr attributes;
  attributes.set_scales_mask(DNNL_ARG_FROM, 1 << 0);
  const dnnl::reorder primitive({engine.dnnl(), src_desc, engine.dnnl(), dst_desc, attributes});
  const Desc scale_desc = plain_desc({static_cast<std::int64_t>(scale.size)});
  engine.execute("scaled reorder", primitive,
                 {{DNNL_ARG_FROM, engine.wrap(src_desc, src.data)},
                  {DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, engine.wrap(scale_desc, scale.data)},
                  {DNNL_ARG_TO, engine.wrap(dst_desc, dst.data)}});
}

}  // namespace opencd::nn
