#include "opencd/methods/gcd.hpp"

#include "error.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/normalize.hpp"
#include "nn/gemm.hpp"
#include "opencd/class_search.hpp"
#include "opencd/kmeans.hpp"
#include "opencd/methods/read_state.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>

namespace opencd {

namespace {

/// 512-2048-2048-256 for ResNet-18, and in proportion for other widths.
nn::GeluHeadConfig head_config(const MethodContext& context) {
  return {.name = "head",
          .in_features = context.features,
          .hidden = 4 * context.features,
          .out_features = std::max<std::int64_t>(1, context.features / 2)};
}

std::size_t most_classes(const MethodContext& context, const GcdConfig& config) {
  if (context.classes != 0) return context.classes;
  const auto most = config.most_classes != 0 ? static_cast<std::size_t>(config.most_classes)
                                             : std::max<std::size_t>(100, 4 * context.known);
  if (context.known == 0)
    fail<UsageError>(
        "[gcd] counting classes needs labelled rows: give --known N, or --classes N if you know "
        "it");
  if (most < context.known)
    fail<UsageError>("[gcd] --most-classes {} is fewer than the {} known classes", most,
                     context.known);
  return most;
}

}  // namespace

GcdConfig gcd_config(const Json& options) {
  GcdConfig config;
  config.sup_weight = options.value("sup-weight", config.sup_weight);
  config.most_classes = options.value("most-classes", config.most_classes);
  if (!(config.sup_weight >= 0.0 && config.sup_weight <= 1.0))
    fail<UsageError>("[gcd] expected --sup-weight from 0 to 1, got {}", config.sup_weight);
  if (config.most_classes < 0)
    fail<UsageError>("[gcd] expected --most-classes of 0 or more, got {}", config.most_classes);
  return config;
}

Recipe gcd_recipe(const Json& /*options*/) {
  return {.epochs = 200,
          .batch = 128,
          .augment = {"orca", "orca"},
          .crop = 0,
          .sampling = {.kind = data::Sampling::balanced},
          .optimizer = {.kind = nn::OptimizerKind::sgd, .weight_decay = 5e-5},
          .schedule = {.kind = nn::ScheduleKind::cosine, .learning_rate = 0.1, .minimum = 1e-4}};
}

Gcd::Gcd(const MethodContext& context, const GcdConfig& config)
    : context_(context),
      config_(config),
      head_(context.model, head_config(context), context.batch),
      centres_(context, "centres", most_classes(context, config)) {}

void Gcd::allocate() {
  kernels::Device& device = context_.model.device();
  const auto rows = static_cast<std::size_t>(2 * context_.batch);
  const auto d = static_cast<std::size_t>(head_config(context_).out_features);
  for (auto& saved : saved_) saved.emplace(head_.make_saved());
  for (kernels::Buffer<float>* buffer : {&z_, &unit_, &diff_unit_})
    *buffer = kernels::Buffer<float>(device, rows * d);
  norms_ = kernels::Buffer<float>(device, rows);
  cosines_ = kernels::Buffer<float>(device, rows * rows);
  diff_sup_ = kernels::Buffer<float>(device, rows * rows);
  record_ = kernels::Buffer<kernels::ContrastiveRecord>(device, 1);
  sup_record_ = kernels::Buffer<kernels::ContrastiveRecord>(device, 1);
  scratch_.emplace(device, kernels::contrastive_scratch_bytes(rows));
  readback_.emplace(device);
  sup_readback_.emplace(device);
}

Rows<float> Gcd::of_view(const kernels::Buffer<float>& both, std::size_t v) const {
  const auto rows = static_cast<std::size_t>(context_.batch);
  const std::size_t columns = both.size() / (2 * rows);
  return {both.data() + v * rows * columns, rows, columns};
}

void Gcd::step(const MethodStep& step) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const auto rows = static_cast<std::size_t>(2 * context_.batch);
  const std::size_t d = z_.size() / rows;
  const Rows<float> unit = unit_.rows(rows, d);
  const Rows<float> cosines = cosines_.rows(rows, rows);
  const Rows<float> diff = diff_unit_.rows(rows, d);
  const auto weight = static_cast<float>(config_.sup_weight);

  for (std::size_t v = 0; v < 2; ++v) head_.forward(step.features[v], of_view(z_, v), *saved_[v]);
  kernels::normalize_rows(device, z_.rows(rows, d), unit, norms_);
  nn::gemm(engine, unit, unit, cosines, {.transpose_right = true});
  kernels::sup_con(device, *scratch_, cosines, step.labels, diff_sup_.rows(rows, rows), sup_record_,
                   {.temperature = static_cast<float>(config_.sup_temperature), .weight = weight});
  kernels::nt_xent(
      device, *scratch_, cosines, cosines, record_,
      {.temperature = static_cast<float>(config_.temperature), .weight = 1.0f - weight});
  readback_->start(record_);
  sup_readback_->start(sup_record_);
  kernels::add(device, cosines.flat(), diff_sup_, cosines.flat());
  nn::gemm(engine, cosines, unit, diff);
  nn::gemm(engine, cosines, unit, diff, {.transpose_left = true, .beta = 1.0f});
  kernels::normalize_rows_backward(device, unit, norms_, diff, diff);
  for (std::size_t v = 0; v < 2; ++v)
    head_.backward(step.features[v], of_view(diff_unit_, v), step.diff_features[v], *saved_[v]);
}

void Gcd::finish(TrainingFeatures& features) {
  const std::span<const std::int32_t> labels = features.labels();
  const kernels::Buffer<float> unit = unit_features(context_, features, all_rows(labels.size()));
  const Rows<float> rows = unit.rows(labels.size(), static_cast<std::size_t>(context_.features));
  const nn::Engine& engine = context_.model.engine();
  const std::size_t classes =
      context_.classes != 0 ? context_.classes
                            : search_class_count(engine, rows, labels,
                                                 {.known = context_.known,
                                                  .most = std::min(centres_.most(), labels.size()),
                                                  .seed = context_.seed});
  const KMeansResult found = semi_supervised_kmeans(
      engine, rows, labels, {.clusters = classes, .starts = config_.starts, .seed = context_.seed});
  inertia_ = found.inertia;
  centres_.set(found.centres);
}

std::vector<std::pair<std::string, double>> Gcd::losses() {
  const double loss = readback_->finish().loss;
  const double sup = sup_readback_->finish().loss;
  return {{"loss", (1.0 - config_.sup_weight) * loss + config_.sup_weight * sup},
          {"info_nce", loss},
          {"sup_con", sup}};
}

std::vector<std::string> Gcd::metric_names() const {
  return {"loss", "info_nce", "sup_con", "inertia", "groups"};
}

std::vector<std::pair<std::string, double>> Gcd::figures() const {
  return {{"inertia", inertia_}, {"groups", static_cast<double>(centres_.count())}};
}

GroupCount Gcd::groups() const {
  const std::size_t found = std::max<std::size_t>(1, centres_.count());
  return {found, found, found};
}

Json Gcd::state() const { return {{"groups", centres_.count()}, {"inertia", inertia_}}; }

void Gcd::restore(const Json& state) {
  read_state("gcd", [&] {
    const std::size_t groups = read_count(state.at("groups"), 0, centres_.most());
    inertia_ = read_number(state.at("inertia"));
    centres_.set_count(groups);
  });
}

}  // namespace opencd
