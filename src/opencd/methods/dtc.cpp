#include "opencd/methods/dtc.hpp"

#include "error.hpp"
#include "kernels/elementwise.hpp"
#include "nn/gemm.hpp"
#include "opencd/kmeans.hpp"
#include "opencd/methods/published_set.hpp"
#include "opencd/methods/read_state.hpp"
#include "opencd/principal_components.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

/// As many dimensions as clusters, as far as there are features.
std::int64_t cluster_columns(const MethodContext& context) {
  return std::min(static_cast<std::int64_t>(context.classes), context.features);
}

}  // namespace

DtcConfig dtc_config(const Json& options, std::size_t known) {
  const std::string variant = options.value("dtc-variant", "pi");
  if (variant != "pi" && variant != "tep")
    fail<UsageError>("[dtc] expected --dtc-variant pi or tep, got {}", variant);
  DtcConfig config;
  config.temporal = variant == "tep";
  if (published_set(options, known) == PublishedSet::cifar100) {
    config.tuning_share = 180.0 / 310;
    config.warm_share = 3.0 / 13;  // 30 of 130
    config.refresh_share = 0.1;
  }
  config.tuning_share = tuning_share(options, config.tuning_share);
  config.consistency =
      number_or_published(options, "consistency-weight", config.consistency, kMostConsistency);
  config.rise_share = number_or_published(options, "rise-share", config.rise_share);
  config.warm_share = number_or_published(options, "warm-share", config.warm_share);
  config.refresh_share = number_or_published(options, "refresh-share", config.refresh_share);
  return config;
}

Recipe dtc_recipe(const Json& options, std::size_t known) {
  const DtcConfig config = dtc_config(options, known);
  const bool few = published_set(options, known) == PublishedSet::cifar10;
  return {
      .epochs = few ? 290 : 310,
      .batch = 128,
      .augment = {"fixmatch-weak", "fixmatch-weak"},
      .crop = 0,
      .tuning_share = config.tuning_share,
      .optimizer = {.kind = nn::OptimizerKind::sgd,
                    .weight_decay = few && !config.temporal ? 1e-4 : 1e-5},
      // 0.1 up to the end of the warm-up, then 0.05; for many classes halved every twenty epochs
      .schedule = {.kind = nn::ScheduleKind::multi_step,
                   .learning_rate = 0.1,
                   .milestones = few ? std::vector<double>{190}
                                     : std::vector<double>{210, 230, 250, 270, 290},
                   .gamma = 0.5}};
}

Dtc::Dtc(const MethodContext& context, const DtcConfig& config)
    : context_(context),
      config_(config),
      tuning_(tuning_epochs(config.tuning_share, context.epochs)),
      classifier_(context, "dtc"),
      embedding_(
          context.model, "embedding", {context.features, cluster_columns(context)}, context.batch),
      centres_(context.model.parameters().add(
          {.name = "cluster_centres",
           .desc = nn::plain_desc(
               {static_cast<std::int64_t>(context.classes), cluster_columns(context)})})),
      outputs_(context.classes, context.known) {}

std::size_t Dtc::columns() const {
  return static_cast<std::size_t>(embedding_.config().out_features);
}

void Dtc::allocate() {
  kernels::Device& device = context_.model.device();
  const auto b = static_cast<std::size_t>(context_.batch);
  classifier_.allocate();
  const auto floats = [&](std::size_t count) { return kernels::Buffer<float>(device, count); };
  for (ViewRows& view : views_) {
    view.z = floats(b * columns());
    view.s = floats(b * clusters());
    view.totals = floats(b);
    view.diff_z = floats(b * columns());
  }
  targets_ = floats(context_.rows * clusters());
  averages_ = floats(config_.temporal ? context_.rows * clusters() : 0);
  kernels::fill(device, targets_, 0.0f);
  kernels::fill(device, averages_, 0.0f);
  record_ = kernels::Buffer<kernels::DeepClusterRecord>(device, 1);
  scratch_.emplace(device, kernels::deep_cluster_scratch_bytes(b, clusters()));
  readback_.emplace(device);
}

std::vector<RowMemory> Dtc::row_memory() const {
  std::vector<RowMemory> memory;
  if (context_.rows == 0) return memory;
  memory.push_back({"targets", targets_.rows(context_.rows, clusters())});
  if (config_.temporal) memory.push_back({"averages", averages_.rows(context_.rows, clusters())});
  return memory;
}

Rows<float> Dtc::centres() const { return {centres_.value.data, clusters(), columns()}; }

std::int64_t Dtc::warm_until() const {
  const double epochs = config_.warm_share * static_cast<double>(context_.epochs - tuning_);
  return tuning_ + std::max(1L, std::lround(epochs));
}

double Dtc::consistency_weight(std::uint32_t epoch) const {
  if (config_.temporal || epoch < warm_until()) return 0.0;
  const double others = static_cast<double>(context_.epochs - warm_until());
  const double length = std::max(1.0, config_.rise_share * others);
  const double part = std::min(1.0, static_cast<double>(epoch - warm_until()) / length);
  return config_.consistency * std::exp(-5.0 * (1.0 - part) * (1.0 - part));
}

std::vector<nn::ParameterRange> Dtc::trained(std::uint32_t epoch,
                                             const nn::ParameterRange& own) const {
  const nn::ParameterRange tuned = classifier_.range();
  if (is_tuning(epoch)) return {tuned};
  return {{tuned.end(), own.end() - tuned.end()}};
}

bool Dtc::makes_targets(std::uint32_t epoch) const {
  if (epoch < warm_until()) return false;
  const double others = static_cast<double>(context_.epochs - warm_until());
  const std::int64_t every = std::max(1L, std::lround(config_.refresh_share * others));
  return passed(epoch) == 0 || (passed(epoch) - 1) % every == 0;
}

bool Dtc::looks_again(std::uint32_t epoch) const {
  return makes_targets(epoch) || (config_.temporal && epoch > warm_until());
}

void Dtc::begin_epoch(std::uint32_t epoch, TrainingFeatures& features) {
  const std::vector<std::uint32_t> rows = rows_labelled(features.labels(), false);
  if (epoch == tuning_) start(features, rows);
  std::vector<float> s;
  if (looks_again(epoch)) s = read_assignments(features, rows);
  finish(features);
  // All features are read: from here on nothing can end this, which must not be done twice.
  if (config_.temporal && epoch > warm_until()) to_averages(epoch, rows, s);
  if (makes_targets(epoch)) set_targets(rows, s);
}

void Dtc::start(TrainingFeatures& features, std::span<const std::uint32_t> rows) {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const auto f = static_cast<std::size_t>(context_.features);
  const std::size_t n = rows.size();
  if (n < clusters())
    fail<UsageError>("[dtc] {} unlabelled rows cannot make {} clusters", n, clusters());
  const kernels::Buffer<float> all(device, n * f);
  features.read(rows, false, [&](std::size_t first, Rows<const float> block) {
    kernels::copy(device, block.flat(), all.view().slice(first * f, block.size()));
  });
  // k-means needs no centred rows.
  const kernels::Buffer<float> axes = principal_directions(engine, all.rows(n, f), columns());
  const kernels::Buffer<float> projected(device, n * columns());
  const Rows<float> z = projected.rows(n, columns());
  nn::gemm(engine, all.rows(n, f), axes.rows(columns(), f), z, {.transpose_right = true});
  const KMeansResult found =
      kmeans(engine, z, {.clusters = clusters(), .starts = config_.starts, .seed = context_.seed});
  context_.model.parameters().write(centres_, found.centres);
  const kernels::Buffer<float> s(device, n * clusters());
  const kernels::Buffer<float> totals(device, n);
  kernels::student_assignments(device, z, centres(), s.rows(n, clusters()), totals);
  set_targets(rows, kernels::to_host(device, s));
}

std::vector<float> Dtc::read_assignments(TrainingFeatures& features,
                                         std::span<const std::uint32_t> rows) const {
  std::vector<float> s(rows.size() * clusters());
  features.read(rows, false, [&](std::size_t first, Rows<const float> block) {
    const std::vector<float> found = assignments_of(block);
    std::copy(found.begin(), found.end(),
              s.begin() + static_cast<std::ptrdiff_t>(first * clusters()));
  });
  return s;
}

void Dtc::to_averages(std::uint32_t epoch,
                      std::span<const std::uint32_t> rows,
                      std::vector<float>& assignments) {
  kernels::Device& device = context_.model.device();
  std::vector<float> averages = kernels::to_host(device, averages_);
  const double correction = 1.0 - std::pow(config_.average, static_cast<double>(passed(epoch)));
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    float& average = averages[rows[i / clusters()] * clusters() + i % clusters()];
    average =
        static_cast<float>(config_.average * average + (1.0 - config_.average) * assignments[i]);
    assignments[i] = static_cast<float>(average / correction);
  }
  kernels::copy_to_device<float>(device, averages, averages_.view());
}

void Dtc::set_targets(std::span<const std::uint32_t> rows, const std::vector<float>& assignments) {
  const std::size_t c = clusters();
  std::vector<double> frequency(c, 0.0);
  for (std::size_t i = 0; i < assignments.size(); ++i) frequency[i % c] += assignments[i];
  std::vector<float> targets(targets_.size(), 0.0f);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto s = std::span(assignments).subspan(row * c, c);
    double total = 0.0;
    for (std::size_t j = 0; j < c; ++j) total += static_cast<double>(s[j]) * s[j] / frequency[j];
    for (std::size_t j = 0; j < c; ++j)
      targets[rows[row] * c + j] =
          static_cast<float>(static_cast<double>(s[j]) * s[j] / frequency[j] / total);
  }
  kernels::copy_to_device<float>(context_.model.device(), targets, targets_.view());
}

void Dtc::finish(TrainingFeatures& features) {
  outputs_.match(features, [this](Rows<const float> block) {
    return largest_of_rows(assignments_of(block), clusters());
  });
}

void Dtc::step(const MethodStep& step) {
  tuned_last_ = is_tuning(step.epoch);
  if (tuned_last_) return classifier_.step(step);
  kernels::Device& device = context_.model.device();
  weight_ = consistency_weight(step.epoch);
  for (std::size_t v = 0; v < 2; ++v) {
    ViewRows& view = views_[v];
    embedding_.forward(step.features[v], context_.batch_rows(view.z));
    kernels::student_assignments(device, context_.batch_rows(view.z), centres(),
                                 context_.batch_rows(view.s), view.totals);
  }
  const auto assigned = [&](const ViewRows& view) -> kernels::AssignedView {
    return {context_.batch_rows(view.z), context_.batch_rows(view.s), view.totals,
            context_.batch_rows(view.diff_z)};
  };
  kernels::deep_cluster_loss(device, *scratch_, assigned(views_[0]), assigned(views_[1]), centres(),
                             {targets_.rows(context_.rows, clusters()), step.rows, step.labels},
                             {centres_.diff.data, clusters(), columns()}, record_,
                             static_cast<float>(weight_));
  readback_->start(record_);
  context_.model.parameters().accumulate(centres_.offset, centres_.value.size);
  for (std::size_t v = 0; v < 2; ++v)
    embedding_.backward(step.features[v], context_.batch_rows(views_[v].diff_z),
                        step.diff_features[v]);
}

std::vector<std::pair<std::string, double>> Dtc::losses() {
  if (tuned_last_) {
    const double ce = classifier_.loss();
    return {{"loss", ce}, {"ce", ce}};
  }
  const kernels::DeepClusterRecord record = readback_->finish();
  return {{"loss", record.kl + weight_ * record.consistency},
          {"kl", record.kl},
          {"consistency", record.consistency}};
}

std::vector<std::string> Dtc::metric_names() const { return {"loss", "ce", "kl", "consistency"}; }

std::vector<float> Dtc::assignments_of(Rows<const float> features) const {
  kernels::Device& device = context_.model.device();
  const kernels::Buffer<float> z(device, features.rows * columns());
  const kernels::Buffer<float> s(device, features.rows * clusters());
  const kernels::Buffer<float> totals(device, features.rows);
  embedding_.infer(features, z.rows(features.rows, columns()));
  kernels::student_assignments(device, z.rows(features.rows, columns()), centres(),
                               s.rows(features.rows, clusters()), totals);
  return kernels::to_host(device, s);
}

std::vector<Prediction> Dtc::predict(Rows<const float> features) {
  std::vector<float> logits = assignments_of(features);
  for (float& value : logits) value = std::log(value);
  return predict_rows_from_logits(logits, outputs_.grouping());
}

GroupCount Dtc::groups() const { return {clusters(), clusters(), clusters()}; }

Json Dtc::state() const {
  Json state = Json::object();
  outputs_.add_to(state);
  return state;
}

void Dtc::restore(const Json& state) {
  read_state("dtc", [&] { outputs_.restore(state); });
}

}  // namespace opencd
