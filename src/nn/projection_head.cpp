#include "nn/projection_head.hpp"

#include "kernels/elementwise.hpp"

namespace opencd::nn {

ProjectionHead::ProjectionHead(Model& model, const ProjectionHeadConfig& config, std::int64_t rows)
    : model_(model),
      config_(config),
      first_parameter_(model.parameters().size(Role::trained)),
      pass_(model),
      first_(model, config.name + ".0", {config.in_features, config.hidden}, rows, Use::train),
      norm_(config.batch_norm ? std::make_optional<BatchNorm>(
                                    model,
                                    config.name + ".1",
                                    BatchNormConfig{.channels = config.hidden, .relu = true},
                                    hidden_desc(rows),
                                    Use::train)
                              : std::nullopt),
      second_(model, config.name + ".3", {config.hidden, config.out_features}, rows, Use::train),
      linear_dst_(pass_.saved.reserve(hidden_desc(rows))),
      hidden_(pass_.saved.reserve(hidden_desc(rows))) {
  if (norm_) {
    pass_.statistics.add(*norm_, rows);
    mask_ = pass_.saved.reserve(norm_->mask_desc());
  }
  pass_.statistics.reserve(pass_.saved);
  parameter_count_ = model.parameters().size(Role::trained) - first_parameter_;
  model.reserve_temporaries(TemporaryPool::bytes(1, floats_of(hidden_desc(rows))));
}

Desc ProjectionHead::hidden_desc(std::int64_t rows) const {
  // Rows of features are pictures of one pixel whose channels lie side by side.
  return channels_last_desc({.n = rows, .c = config_.hidden});
}

Rows<float> ProjectionHead::hidden_rows(View<float> view) const {
  const auto columns = static_cast<std::size_t>(config_.hidden);
  return {view.data, view.size / columns, columns};
}

BatchNormSaved ProjectionHead::norm_saved(const Saved& saved) const {
  BatchNormSaved slice = pass_.statistics.slice(*norm_, saved);
  slice.mask = saved.at(mask_);
  return slice;
}

void ProjectionHead::forward(Rows<const float> src, Rows<float> dst, const Saved& saved) {
  const View<float> linear = saved.at(linear_dst_);
  const View<float> hidden = saved.at(hidden_);
  first_.forward(src, hidden_rows(linear));
  if (norm_)
    norm_->forward(linear, hidden, norm_saved(saved));
  else
    kernels::relu(model_.device(), linear, hidden);
  second_.forward(hidden_rows(hidden), dst);
  pass_.statistics.update(saved);
}

void ProjectionHead::backward(Rows<const float> src,
                              Rows<const float> diff_dst,
                              Rows<float> diff_src,
                              const Saved& saved) {
  const Scratch::Frame frame(model_.scratch());
  const View<float> hidden = saved.at(hidden_);
  const View<float> diff = model_.scratch().take<float>(hidden.size);
  second_.backward(hidden_rows(hidden), diff_dst, hidden_rows(diff));
  if (norm_)
    norm_->backward(saved.at(linear_dst_), diff, diff, norm_saved(saved));
  else
    kernels::relu_backward(model_.device(), hidden, diff, diff);
  first_.backward(src, hidden_rows(diff), diff_src);
  model_.parameters().accumulate(first_parameter_, parameter_count_);
}

void ProjectionHead::infer(Rows<const float> src, Rows<float> dst) const {
  const Desc desc = hidden_desc(static_cast<std::int64_t>(src.rows));
  model_.reserve_temporaries(TemporaryPool::bytes(1, floats_of(desc)));
  const Scratch::Frame frame(model_.scratch());
  const View<float> hidden = model_.scratch().take<float>(floats_of(desc));
  first_.infer(src, hidden_rows(hidden));
  if (norm_)
    norm_->infer(desc, hidden, hidden);
  else
    kernels::relu(model_.device(), hidden, hidden);
  second_.infer(hidden_rows(hidden), dst);
}

}  // namespace opencd::nn
