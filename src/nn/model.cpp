#include "nn/model.hpp"

#include <algorithm>

namespace opencd::nn {

namespace {

constexpr std::int64_t kChannelBlock = 16;  // the largest that oneDNN uses

}  // namespace

dnnl::primitive_attr Model::attributes() const {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_deterministic(options_.deterministic);
  return attributes;
}

Desc Model::activation_desc(const Shape& shape) const {
  using Tag = dnnl::memory::format_tag;
  constexpr auto f32 = dnnl::memory::data_type::f32;
  switch (device().layout_policy()) {
    case kernels::LayoutPolicy::nchw: return Desc(shape.dims(), f32, Tag::nchw);
    case kernels::LayoutPolicy::nhwc: return channels_last_desc(shape);
    case kernels::LayoutPolicy::any: break;
  }
  // Blocked layouts pad odd channel counts, and then not all convolutions agree on one; with the
  // channels innermost they do.
  if (shape.c % kChannelBlock != 0) return channels_last_desc(shape);
  return any_desc(shape.dims());
}

void Model::execute(const Operation& operation, Arguments arguments) {
  const Scratch::Frame frame(scratch());
  if (const std::size_t bytes = operation.scratchpad.get_size(); bytes != 0)
    arguments.insert(
        {DNNL_ARG_SCRATCHPAD, wrap(operation.scratchpad, scratch().take<std::byte>(bytes).data)});
  engine_.execute(operation.name, operation.primitive, arguments);
}

void Model::reserve_temporaries(std::size_t bytes) {
  temporary_bytes_ = std::max(temporary_bytes_, Scratch::aligned(bytes));
}

void Model::reserve_operation(std::size_t bytes) {
  operation_bytes_ = std::max(operation_bytes_, Scratch::aligned(bytes));
}

Scratch& Model::scratch() {
  if (!scratch_ || scratch_->capacity() < scratch_bytes()) {
    scratch_.reset();
    scratch_.emplace(device(), scratch_bytes());
  }
  return *scratch_;
}

}  // namespace opencd::nn
