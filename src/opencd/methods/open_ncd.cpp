#include "opencd/methods/open_ncd.hpp"

#include "error.hpp"
#include "kernels/normalize.hpp"
#include "kernels/positive_pairs.hpp"
#include "kernels/softmax.hpp"
#include "nn/gemm.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>
#include <numeric>

namespace opencd {

namespace {

nn::ProjectionHeadConfig head_config(const MethodContext& context, const OpenNcdConfig& config) {
  return {.in_features = context.features,
          .hidden = config.hidden != 0 ? config.hidden : context.features,
          .out_features = config.dimensions};
}

OpenNcdConfig checked(const MethodContext& context, const OpenNcdConfig& config) {
  const auto prototypes = static_cast<std::size_t>(config.prototypes);
  const std::size_t least = std::max(context.classes, context.known);
  if (config.prototypes < 1 || prototypes < least)
    fail<UsageError>(
        "[opencd] {} prototypes cannot stand for {} classes; choose --prototypes {} or more, "
        "several for every class are better",
        config.prototypes, least, least);
  if (config.kappa < 1 || config.kappa > std::min<std::int64_t>(16, config.prototypes))
    fail<UsageError>("[opencd] expected --kappa from 1 to {}, got {}",
                     std::min<std::int64_t>(16, config.prototypes), config.kappa);
  if (config.grouping == GroupingChoice::spectral && context.classes == 0)
    fail<UsageError>(
        "[opencd] --grouping spectral makes a number of groups that it is told: give --classes N, "
        "or "
        "leave it to --grouping auto");
  const bool searches = config.grouping != GroupingChoice::spectral &&
                        (context.classes == 0 || config.grouping != GroupingChoice::automatic);
  if (searches) check_range(config.searched(), config.range);
  if (!(config.temperature >= 0.03))
    fail<UsageError>("[opencd] expected --tau of 0.03 or more, got {}", config.temperature);
  return config;
}

}  // namespace

OpenNcd::OpenNcd(const MethodContext& context, const OpenNcdConfig& config)
    : context_(context),
      config_(checked(context, config)),
      head_(context.model, head_config(context, config), context.batch),
      prototypes_(context.model.parameters().add(
          {.name = "prototypes",
           .desc = nn::plain_desc({config.prototypes, config.dimensions}),
           .init = nn::Init::standard_normal})),
      groups_(ungrouped(static_cast<std::size_t>(config.prototypes))) {}

std::size_t OpenNcd::activation_bytes() const { return 2 * head_.saved_layout().bytes(); }

void OpenNcd::allocate() {
  kernels::Device& device = context_.model.device();
  const auto b = static_cast<std::size_t>(context_.batch);
  const auto k = static_cast<std::size_t>(config_.prototypes);
  const auto d = static_cast<std::size_t>(config_.dimensions);
  const auto floats = [&](std::size_t count) { return kernels::Buffer<float>(device, count); };
  for (ViewRows& view : views_) {
    view.z = floats(b * d);
    view.unit = floats(b * d);
    view.norms = floats(b);
    view.p = floats(b * k);
    view.diff = floats(b * k);
    view.head.emplace(head_.make_saved());
  }
  units_ = floats(k * d);
  unit_norms_ = floats(k);
  diff_units_ = floats(k * d);
  cosines_ = floats(b * b);
  partners_ = kernels::Buffer<std::int32_t>(device, b);
  record_ = kernels::Buffer<kernels::PrototypeLossRecord>(device, 1);
  scratch_.emplace(device, kernels::prototype_loss_scratch_bytes(b, k, k));
  readback_.emplace(device);
  affinity_.emplace(
      context_.model.engine(),
      PrototypeAffinityOptions{.prototypes = k,
                               .dimensions = d,
                               .kappa = static_cast<std::size_t>(config_.kappa),
                               .mix = {.measure = config_.measure, .share = config_.mix}});
  if (config_.balanced_targets && config_.group_loss) balanced_.emplace(device, b, k);
  set_groups(std::move(groups_));
}

Rows<float> OpenNcd::rows_of(const kernels::Buffer<float>& buffer) const {
  const auto b = static_cast<std::size_t>(context_.batch);
  return buffer.rows(b, buffer.size() / b);
}

Rows<float> OpenNcd::prototype_rows(float* data) const {
  return {data, static_cast<std::size_t>(config_.prototypes),
          static_cast<std::size_t>(config_.dimensions)};
}

void OpenNcd::normalise_prototypes() {
  kernels::normalize_rows(context_.model.device(), prototype_rows(prototypes_.value.data),
                          prototype_rows(units_.data()), unit_norms_);
}

float OpenNcd::ce_weight(std::uint32_t epoch) const {
  // Before the first grouping no group stands for a class.
  if (epoch < config_.warm_epochs || groups_.grouping.groups < context_.known) return 0.0f;
  const bool grouping = epoch < config_.grouping_epochs;
  if (grouping && context_.classes == 0 && !config_.ce_while_grouping) return 0.0f;
  return static_cast<float>(config_.lambda_ce);
}

kernels::PrototypeLossConfig OpenNcd::loss_config(std::uint32_t epoch) const {
  return {.form = config_.form,
          .weights = {.proto = config_.proto_loss ? 1.0f : 0.0f,
                      .group = config_.group_loss && !balanced_ ? 1.0f : 0.0f,
                      .reg = static_cast<float>(config_.lambda_reg),
                      .ce = ce_weight(epoch)},
          .temperature = static_cast<float>(config_.temperature),
          .labelled_share = labelled_share()};
}

float OpenNcd::labelled_share() const {
  if (config_.labelled_share == 0.0 || context_.rows == 0) return -1.0f;
  return static_cast<float>(context_.labelled) / static_cast<float>(context_.rows);
}

void OpenNcd::forward(const MethodStep& step) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  for (std::size_t v = 0; v < views_.size(); ++v)
    head_.forward(step.features[v], rows_of(views_[v].z), *views_[v].head);
  normalise_prototypes();
  for (ViewRows& view : views_)
    kernels::normalize_rows(device, rows_of(view.z), rows_of(view.unit), view.norms);
  for (ViewRows& view : views_)
    nn::gemm(engine, rows_of(view.unit), prototype_rows(units_.data()), rows_of(view.p),
             {.transpose_right = true});
  nn::gemm(engine, rows_of(views_[0].unit), rows_of(views_[0].unit), rows_of(cosines_),
           {.transpose_right = true});
  for (ViewRows& view : views_)
    kernels::softmax_rows(device, rows_of(view.p), rows_of(view.p),
                          static_cast<float>(config_.temperature));
}

void OpenNcd::choose_partners(const MethodStep& step) {
  kernels::positive_pairs(context_.model.device(), rows_of(cosines_), step.labels, partners_,
                          {context_.seed, step.step});
}

void OpenNcd::step(const MethodStep& step) {
  kernels::Device& device = context_.model.device();
  forward(step);
  choose_partners(step);
  kernels::prototype_losses(
      device, *scratch_, *device_groups_,
      {rows_of(views_[0].p), rows_of(views_[1].p), partners_, step.labels, prior_},
      rows_of(views_[0].diff), rows_of(views_[1].diff), record_, loss_config(step.epoch));
  readback_->start(record_);
  if (balanced_)
    balanced_->add(*device_groups_, {rows_of(views_[0].p), rows_of(views_[1].p)},
                   {rows_of(views_[0].diff), rows_of(views_[1].diff)},
                   static_cast<float>(config_.temperature));
  backward(step);
}

void OpenNcd::backward(const MethodStep& step) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const Rows<float> units = prototype_rows(units_.data());
  const Rows<float> diff_units = prototype_rows(diff_units_.data());
  for (std::size_t v = 0; v < views_.size(); ++v) {
    ViewRows& view = views_[v];
    nn::gemm(engine, rows_of(view.diff), rows_of(view.unit), diff_units,
             {.transpose_left = true, .beta = v == 0 ? 0.0f : 1.0f});
    nn::gemm(engine, rows_of(view.diff), units, rows_of(view.z));
  }
  for (ViewRows& view : views_)
    kernels::normalize_rows_backward(device, rows_of(view.unit), view.norms, rows_of(view.z),
                                     rows_of(view.z));
  kernels::normalize_rows_backward(device, units, unit_norms_, diff_units,
                                   prototype_rows(prototypes_.diff.data));
  context_.model.parameters().accumulate(prototypes_.offset, prototypes_.value.size);
  for (std::size_t v = 0; v < views_.size(); ++v)
    head_.backward(step.features[v], rows_of(views_[v].z), step.diff_features[v], *views_[v].head);
}

std::vector<std::pair<std::string, double>> OpenNcd::losses() {
  const kernels::PrototypeLossRecord record = readback_->finish();
  const double balanced = balanced_ ? balanced_->value() : 0.0;
  return {{"loss", record.total + balanced},
          {"proto", record.proto},
          {"group", balanced_ ? balanced : record.group},
          {"reg", record.reg},
          {"ce", record.ce}};
}

std::vector<std::string> OpenNcd::metric_names() const {
  return {"loss", "proto", "group", "reg", "ce", "groups", "labelled_accuracy"};
}

std::vector<std::pair<std::string, double>> OpenNcd::figures() const {
  return {{"groups", static_cast<double>(groups_.count.found)},
          {"labelled_accuracy", groups_.labelled_accuracy}};
}

void OpenNcd::embed(Rows<const float> features, Rows<float> unit) {
  kernels::Device& device = context_.model.device();
  const kernels::Buffer<float> norms(device, features.rows);
  head_.infer(features, unit);
  kernels::normalize_rows(device, unit, unit, norms);
}

std::vector<Prediction> OpenNcd::predict(Rows<const float> features) {
  kernels::Device& device = context_.model.device();
  const auto k = static_cast<std::size_t>(config_.prototypes);
  const auto d = static_cast<std::size_t>(config_.dimensions);
  const kernels::Buffer<float> z(device, features.rows * d);
  const Rows<float> unit = z.rows(features.rows, d);
  embed(features, unit);
  const std::vector<float> cosines = cosines_of(unit);
  std::vector<Prediction> result(features.rows);
  for (std::size_t row = 0; row < features.rows; ++row) {
    const auto of_row = std::span(cosines).subspan(row * k, k);
    result[row] = config_.balanced_prediction
                      ? predict_balanced(of_row, groups_.grouping, config_.temperature, factors_)
                      : predict_from_cosines(of_row, groups_.grouping, config_.temperature);
  }
  return result;
}

std::vector<float> OpenNcd::cosines_of(Rows<const float> unit) {
  const nn::Engine& engine = context_.model.engine();
  const auto k = static_cast<std::size_t>(config_.prototypes);
  const kernels::Buffer<float> cosines(engine.device(), unit.rows * k);
  normalise_prototypes();
  nn::gemm(engine, unit, prototype_rows(units_.data()), cosines.rows(unit.rows, k),
           {.transpose_right = true});
  return kernels::to_host(engine.device(), cosines);
}

void OpenNcd::balance(TrainingFeatures& features) {
  const std::vector<std::uint32_t> rows =
      evenly_spread(features.labels().size(), static_cast<std::size_t>(config_.grouping_rows));
  const auto k = static_cast<std::size_t>(config_.prototypes);
  const kernels::Buffer<float> unit = embed_rows(rows, false, features);
  const std::vector<float> cosines =
      cosines_of(unit.rows(rows.size(), static_cast<std::size_t>(config_.dimensions)));
  std::vector<double> q;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto of_row = group_probabilities(std::span(cosines).subspan(row * k, k),
                                            groups_.grouping, config_.temperature);
    q.insert(q.end(), of_row.begin(), of_row.end());
  }
  factors_ = balancing_factors(q, groups_.grouping.groups);
}

}  // namespace opencd
