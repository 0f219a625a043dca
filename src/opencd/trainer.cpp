#include "opencd/trainer.hpp"

#include "error.hpp"
#include "nn/model_weights.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>

namespace opencd {

namespace {

constexpr std::size_t kNamedRows = 8;  // of a batch that failed

nn::Shape batch_shape(const TrainerConfig& config, const kernels::PictureShape& view) {
  return {config.batch, view.channels, view.height, view.width};
}

/// The labels that the split gives away; what it hides stays hidden.
std::vector<std::int32_t> given_labels(const data::ImageSet& set,
                                       const data::OpenWorldSplit& split) {
  const std::vector<std::int32_t> places = data::class_places(split, set.train.labels);
  std::vector<std::int32_t> given(set.train.size(), data::kNoLabel);
  for (const std::uint32_t row : split.labeled) given[row] = places[row];
  return given;
}

/// What is trained at any time must be built for it.
nn::ResNetConfig built_encoder(const TrainerConfig& config) {
  nn::ResNetConfig encoder = config.encoder;
  if (config.whole_from && *config.whole_from < config.epochs)
    encoder.freeze = nn::FreezePoint::none;
  return encoder;
}

}  // namespace

/// Features of training rows for the method, in the epoch that is about to begin.
class Trainer::EpochFeatures final : public TrainingFeatures {
 public:
  explicit EpochFeatures(Trainer& trainer) : trainer_(trainer) {}

  std::span<const std::int32_t> labels() const override { return trainer_.given_labels_; }
  bool pretrained() const override { return trainer_.pretrained_; }
  void read(std::span<const std::uint32_t> rows, bool augmented, const Take& take) override {
    trainer_.read_features(trainer_.reader_, rows, augmented, take);
  }

 private:
  Trainer& trainer_;
};

Trainer::Trainer(const nn::Engine& engine,
                 const data::ImageSet& set,
                 const data::OpenWorldSplit& split,
                 const TrainerConfig& config,
                 std::size_t classes,
                 const MethodFactory& factory)
    : set_(set),
      config_(config),
      model_(engine, {.deterministic = config.deterministic}),
      encoder_(
          model_,
          built_encoder(config),
          batch_shape(config, kernels::view_shape(config.train_view, picture_shape(set.shape)))),
      encoder_tensors_(model_.parameters().all().size()),
      method_(factory({.model = model_,
                       .features = config.encoder.feature_count(),
                       .batch = config.batch,
                       .known = split.known,
                       .classes = classes,
                       .seed = config.seed,
                       .epochs = config.epochs,
                       .rows = set.train.size(),
                       .labelled = split.labeled.size()})),
      memory_plan_(plan_memory(model_, config.optimizer, {{encoder_.saved_layout(), 2}})),
      given_labels_(given_labels(set, split)),
      epoch_rows_(split.labeled,
                  split.unlabeled,
                  static_cast<std::size_t>(config.batch),
                  config.seed,
                  config.sampling),
      pictures_(engine.device(), set.train, set.shape, resident_limit(engine.device())),
      picture_batches_(pictures_, static_cast<std::size_t>(config.batch)),
      reader_(model_, encoder_, pictures_, static_cast<std::size_t>(config.block)),
      train_augmenter_(engine.device(), config.train_view, picture_shape(set.shape)),
      test_augmenter_(engine.device(), config.test_view, picture_shape(set.shape)) {
  if (config.second_view)
    second_augmenter_.emplace(engine.device(), *config.second_view, picture_shape(set.shape));
  memory_plan_.activations += method_->activation_bytes();
  model_.allocate();
  initialise(model_.parameters(), config.seed);
  method_->allocate();
  optimizer_.emplace(model_, config.optimizer);
  take_memory();
}

Trainer::~Trainer() = default;

void Trainer::take_memory() {
  kernels::Device& device = model_.device();
  const auto batch = static_cast<std::size_t>(config_.batch);
  const auto features = static_cast<std::size_t>(config_.encoder.feature_count());
  for (ViewMemory& view : views_) {
    view.images = kernels::Buffer<float>(device, batch * train_augmenter_.shape().size());
    view.features = kernels::Buffer<float>(device, batch * features);
    view.diff_features = kernels::Buffer<float>(device, batch * features);
    view.saved.emplace(encoder_.make_saved());
  }
  augment_scratch_.emplace(device, std::max(train_augmenter_.scratch_bytes(batch),
                                            augmenter_of(1).scratch_bytes(batch)));
  epoch_labels_ = kernels::Buffer<std::int32_t>(device, batch * steps().most());
  epoch_row_numbers_ = kernels::Buffer<std::int32_t>(device, batch * steps().most());
}

nn::LoadReport Trainer::load_encoder(const std::filesystem::path& weights) {
  nn::ParameterSet& parameters = model_.parameters();
  std::vector<nn::TensorSpec> expected = nn::tensor_specs(parameters);
  expected.resize(encoder_tensors_);
  const nn::MatchingWeights found = nn::load_matching_weights(weights, expected);
  for (std::size_t i = 0; i < found.values.size(); ++i)
    if (!found.values[i].empty()) parameters.write(parameters.all()[i], found.values[i]);
  optimizer_->optimizer().restart_averages();
  pretrained_ = true;
  return found.report;
}

double Trainer::learning_rate() const {
  const double part = config_.smooth_schedule ? static_cast<double>(position_.step) /
                                                    static_cast<double>(steps().of(position_.epoch))
                                              : 0.0;
  return nn::learning_rate_at(config_.schedule, position_.epoch + part);
}

void Trainer::read_features(FeatureReader& reader,
                            std::span<const std::uint32_t> rows,
                            bool augmented,
                            const FeatureReader::Take& take) {
  reader.read(rows, augmented ? train_augmenter_ : test_augmenter_,
              {config_.seed, position_.epoch, 0},
              [&](std::size_t first, Rows<const float> features) {
                if (interrupt_ && interrupt_()) throw Interrupted{};
                take(first, features);
              });
}

void Trainer::begin_epoch_if_due() {
  if (position_.step != 0 || epoch_begun_ || done()) return;
  EpochFeatures features(*this);
  method_->begin_epoch(position_.epoch, features);
  epoch_begun_ = true;
}

void Trainer::finish() {
  if (finished_) return;
  const Averaged averaged(optimizer_->optimizer());
  EpochFeatures features(*this);
  method_->finish(features);
  finished_ = true;
}

void Trainer::plan_epoch() {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> labels;
  for (const std::uint32_t row : epoch_rows_.of(position_.epoch)) {
    rows.push_back(static_cast<std::int32_t>(row));
    labels.push_back(given_labels_[row]);
  }
  const auto part_of = [&](const kernels::Buffer<std::int32_t>& buffer) {
    return buffer.view().slice(0, rows.size());
  };
  kernels::copy_to_device<std::int32_t>(model_.device(), labels, part_of(epoch_labels_));
  kernels::copy_to_device<std::int32_t>(model_.device(), rows, part_of(epoch_row_numbers_));
  picture_batches_.plan(std::move(rows));
  optimizer_->optimizer().train(trained_now());
  epoch_planned_ = true;
}

Rows<float> Trainer::feature_rows(const kernels::Buffer<float>& buffer) const {
  const auto batch = static_cast<std::size_t>(config_.batch);
  return buffer.rows(batch, buffer.size() / batch);
}

void Trainer::augment(std::size_t step) {
  const kernels::StreamedBatch batch = picture_batches_.at(step);
  const auto drawn = epoch_rows_.repeats(position_.epoch) ? static_cast<std::uint32_t>(steps_done())
                                                          : position_.epoch;
  for (std::uint32_t v = 0; v < views_.size(); ++v)
    augmenter_of(v).augment(batch.pictures, batch.rows, {config_.seed, drawn, v}, *augment_scratch_,
                            feature_rows(views_[v].images));
}

std::size_t Trainer::first_trained_stage() const {
  const auto frozen = static_cast<std::size_t>(config_.encoder.freeze);
  const bool whole = config_.whole_from && position_.epoch >= *config_.whole_from;
  return frozen == 0 || whole ? 0 : frozen + 1;
}

bool Trainer::more_is_trained_from(std::int64_t epoch) const {
  return epoch != 0 && (epoch == config_.encoder_from || epoch == config_.whole_from);
}

std::vector<nn::ParameterRange> Trainer::trained_now() const {
  std::vector<nn::ParameterRange> ranges;
  if (position_.epoch >= config_.encoder_from)
    ranges.push_back(encoder_.trained_from(first_trained_stage()));
  const std::size_t first = encoder_.trained_from(0).end();
  const nn::ParameterRange own{first, model_.parameters().size(nn::Role::trained) - first};
  for (const nn::ParameterRange& range : method_->trained(position_.epoch, own))
    ranges.push_back(range);
  return ranges;
}

void Trainer::step() {
  if (!epoch_planned_) plan_epoch();
  if (position_.step == 0 && more_is_trained_from(position_.epoch))
    optimizer_->optimizer().restart();
  augment(position_.step);
  for (ViewMemory& view : views_)
    encoder_.forward(view.images, feature_rows(view.features), *view.saved);
  const auto batch = static_cast<std::size_t>(config_.batch);
  method_->step({.features = {feature_rows(views_[0].features), feature_rows(views_[1].features)},
                 .diff_features = {feature_rows(views_[0].diff_features),
                                   feature_rows(views_[1].diff_features)},
                 .labels = epoch_labels_.view().slice(position_.step * batch, batch),
                 .rows = epoch_row_numbers_.view().slice(position_.step * batch, batch),
                 .epoch = position_.epoch,
                 .step = static_cast<std::uint32_t>(steps_done()),
                 .progress = static_cast<double>(steps_done()) / static_cast<double>(all_steps())});
  if (position_.epoch >= config_.encoder_from)
    for (ViewMemory& view : views_)
      encoder_.backward(view.images, feature_rows(view.diff_features), *view.saved,
                        first_trained_stage());
  check_finite();  // of the step before, so that nothing waits for this one
  optimizer_->step(learning_rate());
  if (++position_.step == steps().of(position_.epoch)) {
    position_ = {position_.epoch + 1, 0};
    epoch_begun_ = false;
    epoch_planned_ = false;
  }
}

void Trainer::check_finite() {
  const std::size_t bad = optimizer_->bad_entries();
  if (bad == 0) return;
  const std::uint32_t epoch = position_.step != 0 ? position_.epoch : position_.epoch - 1;
  const std::size_t failed = (position_.step != 0 ? position_.step : steps().of(epoch)) - 1;
  const auto rows = picture_batches_.rows_at(failed);
  fail<NonFiniteError>(
      "[train] the gradient of epoch {}, step {} is not finite ({} bad entries); its batch begins "
      "with rows {}. No update was made with it, and the last checkpoint is intact. A smaller --lr "
      "may help; `data show` shows the pictures",
      epoch + 1, failed + 1, bad, fmt::join(rows.first(std::min(kNamedRows, rows.size())), ", "));
}

std::vector<Prediction> Trainer::predict(FeatureReader& reader,
                                         std::span<const std::uint32_t> rows) {
  const Averaged averaged(optimizer_->optimizer());
  std::vector<Prediction> result(rows.size());
  read_features(reader, rows, false, [&](std::size_t first, Rows<const float> features) {
    const std::vector<Prediction> block = method_->predict(features);
    std::copy(block.begin(), block.end(), result.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return result;
}

std::vector<Prediction> Trainer::predict_train(std::span<const std::uint32_t> rows) {
  return predict(reader_, rows);
}

std::vector<Prediction> Trainer::predict_test() {
  if (set_.test.size() == 0) return {};
  const DevicePictures pictures(model_.device(), set_.test, set_.shape,
                                resident_limit(model_.device()));
  FeatureReader reader(model_, encoder_, pictures, static_cast<std::size_t>(config_.block));
  return predict(reader, all_rows(set_.test.size()));
}

}  // namespace opencd
