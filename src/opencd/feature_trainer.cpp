#include "opencd/feature_trainer.hpp"

#include "error.hpp"
#include "nn/model_weights.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

constexpr std::size_t kNamedRows = 8;  // of a batch that failed

/// A set is passed in four batches at least, so that they differ from pass to pass.
std::size_t batch_of(const LabelledFeatures& features, const FeatureTrainerConfig& config) {
  const std::size_t rows = features.rows();
  if (rows < 2) fail<UsageError>("[discover] expected 2 rows or more, got {}", rows);
  const std::size_t most = rows < 8 ? rows : rows / 4;
  return std::clamp<std::size_t>(static_cast<std::size_t>(config.batch), 2, most);
}

std::vector<float> column_means(const LabelledFeatures& features) {
  std::vector<double> sums(features.columns, 0.0);
  for (std::size_t row = 0; row < features.rows(); ++row)
    for (std::size_t c = 0; c < features.columns; ++c)
      sums[c] += features.values[row * features.columns + c];
  std::vector<float> means(features.columns);
  for (std::size_t c = 0; c < features.columns; ++c)
    means[c] = static_cast<float>(sums[c] / static_cast<double>(features.rows()));
  return means;
}

}  // namespace

/// Features of rows for the method, in the epoch that is about to begin.
class FeatureTrainer::EpochFeatures final : public TrainingFeatures {
 public:
  explicit EpochFeatures(FeatureTrainer& trainer) : trainer_(trainer) {}

  std::span<const std::int32_t> labels() const override { return trainer_.data_.labels; }
  bool pretrained() const override { return true; }
  void read(std::span<const std::uint32_t> rows, bool augmented, const Take& take) override {
    kernels::Device& device = trainer_.model_.device();
    const std::size_t columns = trainer_.data_.columns;
    const auto on_device =
        kernels::to_device(device, std::vector<std::int32_t>(rows.begin(), rows.end()));
    const std::size_t block = std::min(trainer_.config_.block, rows.size());
    const kernels::Buffer<float> views(device, block * columns);
    for (std::size_t first = 0; first < rows.size(); first += block) {
      const std::size_t count = std::min(block, rows.size() - first);
      const Rows<float> dst{views.data(), count, columns};
      kernels::feature_views(
          device, trainer_.all(), on_device.view().slice(first, count), dst,
          augmented ? trainer_.config_.view : kernels::FeatureViewConfig{},
          {trainer_.config_.seed, static_cast<std::uint32_t>(trainer_.steps_done()), 0});
      take(first, dst);
    }
  }

 private:
  FeatureTrainer& trainer_;
};

FeatureTrainer::FeatureTrainer(const nn::Engine& engine,
                               const LabelledFeatures& features,
                               const FeatureTrainerConfig& config,
                               const MethodFactory& factory)
    : data_(features),
      config_(config),
      batch_(batch_of(features, config)),
      passes_(rows_labelled(features.labels, true),
              rows_labelled(features.labels, false),
              batch_,
              config.seed,
              config.sampling),
      steps_per_epoch_(std::max(kLeastSteps, passes_.steps().usual)),
      model_(engine, {.deterministic = config.deterministic}),
      mean_(model_.parameters().add(
          {.name = "input.mean",
           .desc = nn::plain_desc({static_cast<std::int64_t>(features.columns)}),
           .role = nn::Role::frozen})),
      method_(factory({.model = model_,
                       .features = static_cast<std::int64_t>(features.columns),
                       .batch = static_cast<std::int64_t>(batch_),
                       .known = features.known,
                       .classes = features.classes,
                       .seed = config.seed,
                       .epochs = config.epochs,
                       .rows = features.rows(),
                       .labelled = features.labelled()})) {
  model_.allocate();
  initialise(model_.parameters(), config.seed);
  method_->allocate();
  optimizer_.emplace(model_, config.optimizer);
  upload();
  take_memory();
}

FeatureTrainer::~FeatureTrainer() = default;

void FeatureTrainer::upload() {
  const std::vector<float> means = column_means(data_);
  model_.parameters().write(mean_, means);
  // Entries are of order 1 then, whatever the columns, so that noise means the same for all sets.
  const double length = std::sqrt(static_cast<double>(data_.columns));
  std::vector<float> values(data_.values.begin(), data_.values.end());
  for (std::size_t row = 0; row < data_.rows(); ++row) {
    const auto entries = std::span(values).subspan(row * data_.columns, data_.columns);
    double squares = 0.0;
    for (std::size_t c = 0; c < data_.columns; ++c) {
      entries[c] -= means[c];
      squares += static_cast<double>(entries[c]) * entries[c];
    }
    if (squares == 0.0) continue;  // a row that is the mean stays there
    const auto scale = static_cast<float>(length / std::sqrt(squares));
    for (float& entry : entries) entry *= scale;
  }
  features_ = kernels::to_device(model_.device(), values);
}

void FeatureTrainer::take_memory() {
  kernels::Device& device = model_.device();
  if (config_.epochs == 0) return;
  for (ViewMemory& view : views_) {
    view.features = kernels::Buffer<float>(device, batch_ * data_.columns);
    view.diff_features = kernels::Buffer<float>(device, batch_ * data_.columns);
  }
  rows_ = kernels::Buffer<std::int32_t>(device, batch_ * steps_per_epoch_);
  labels_ = kernels::Buffer<std::int32_t>(device, batch_ * steps_per_epoch_);
}

void FeatureTrainer::plan_epoch() {
  const std::size_t steps = passes_.steps().usual;
  const std::size_t passes = (steps_per_epoch_ + steps - 1) / steps;
  order_.clear();
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const std::vector<std::uint32_t> rows =
        passes_.of(static_cast<std::uint32_t>(epoch_ * passes + pass));
    order_.insert(order_.end(), rows.begin(), rows.end());
  }
  order_.resize(steps_per_epoch_ * batch_);
  std::vector<std::int32_t> labels;
  labels.reserve(order_.size());
  for (const std::int32_t row : order_)
    labels.push_back(data_.labels[static_cast<std::size_t>(row)]);
  kernels::copy_to_device<std::int32_t>(model_.device(), order_, rows_);
  kernels::copy_to_device<std::int32_t>(model_.device(), labels, labels_);
  optimizer_->optimizer().train(
      method_->trained(epoch_, {0, model_.parameters().size(nn::Role::trained)}));
}

std::span<const std::int32_t> FeatureTrainer::rows_of_step(std::size_t step) const {
  return std::span(order_).subspan(step * batch_, batch_);
}

void FeatureTrainer::make_views() {
  const auto step = static_cast<std::uint32_t>(steps_done());
  for (std::uint32_t v = 0; v < views_.size(); ++v)
    kernels::feature_views(model_.device(), all(), rows_.view().slice(step_ * batch_, batch_),
                           views_[v].features.rows(batch_, data_.columns), config_.view,
                           {config_.seed, step, v});
}

void FeatureTrainer::step() {
  if (step_ == 0) {
    EpochFeatures features(*this);
    method_->begin_epoch(epoch_, features);
    check_finite();  // while the rows of the last batch are known
    plan_epoch();
  }
  make_views();
  const auto rows = [&](const kernels::Buffer<float>& buffer) {
    return buffer.rows(batch_, data_.columns);
  };
  method_->step(
      {.features = {rows(views_[0].features), rows(views_[1].features)},
       .diff_features = {rows(views_[0].diff_features), rows(views_[1].diff_features)},
       .labels = labels_.view().slice(step_ * batch_, batch_),
       .rows = rows_.view().slice(step_ * batch_, batch_),
       .epoch = epoch_,
       .step = static_cast<std::uint32_t>(steps_done()),
       .progress = static_cast<double>(steps_done()) / static_cast<double>(steps_per_epoch_) /
                   static_cast<double>(config_.epochs)});
  check_finite();  // of the step before, so that nothing waits for this one
  optimizer_->step(nn::learning_rate_at(config_.schedule, epoch_));
  if (++step_ == steps_per_epoch_) {
    ++epoch_;
    step_ = 0;
  }
}

void FeatureTrainer::check_finite() {
  const std::size_t bad = optimizer_->bad_entries();
  if (bad == 0) return;
  const std::size_t failed = (step_ != 0 ? step_ : steps_per_epoch_) - 1;
  fail<NonFiniteError>(
      "[discover] the gradient of epoch {}, step {} is not finite ({} bad entries); its batch "
      "begins with rows {}. A smaller --lr may help",
      step_ != 0 ? epoch_ + 1 : epoch_, failed + 1, bad,
      fmt::join(rows_of_step(failed).first(std::min(kNamedRows, batch_)), ", "));
}

void FeatureTrainer::finish() {
  check_finite();
  EpochFeatures features(*this);
  method_->finish(features);
}

std::vector<Prediction> FeatureTrainer::predict() {
  std::vector<Prediction> result;
  for (std::size_t first = 0; first < data_.rows(); first += config_.block) {
    const std::size_t count = std::min(config_.block, data_.rows() - first);
    const auto block =
        method_->predict({features_.data() + first * data_.columns, count, data_.columns});
    result.insert(result.end(), block.begin(), block.end());
  }
  return result;
}

void FeatureTrainer::save(const std::filesystem::path& file) const {
  nn::save_model(file, model_.parameters());
}

}  // namespace opencd
