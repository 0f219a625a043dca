// A checkpoint is enough: what a trained model says must be what the trainer said when it saved.
#include "opencd/trained_model.hpp"

#include "data/synthetic.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/checkpoint_folder.hpp"
#include "opencd/methods/registry.hpp"
#include "opencd/trainer.hpp"
#include "support/device.hpp"
#include "support/main.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>
#include <fstream>
#include <numeric>

namespace opencd::test {

namespace {

namespace fs = std::filesystem;

/// A run of a few steps on four synthetic classes, with two checkpoints.
class SmallRun {
 public:
  SmallRun() {
    model_.encoder = {"resnet18", nn::Stem::cifar, 8, 3};
    model_.picture = set_.shape;
    const PixelStatistics pixels = pixel_statistics(set_);
    model_.mean = pixels.mean;
    model_.std = pixels.std;
    model_.method = "opencd";
    model_.method_options = {{"prototypes", 12}, {"warm-epochs", 1}, {"grouping-epochs", 9}};
    model_.class_names = set_.class_names;
    model_.known = split_.known;
    model_.classes = 4;
    TrainerConfig config;
    config.encoder = model_.encoder.network();
    config.batch = 16;
    config.epochs = 2;
    config.train_view = config.test_view = model_.test_view();
    trainer_ = std::make_unique<Trainer>(
        engine_, set_, split_, config, model_.classes, [&](const MethodContext& context) {
          return make_method(model_.method, context, model_.method_options);
        });
    fs::create_directories(run());
    files::write_file(run() / "args.json", "{}");
    files::CheckpointFolder checkpoints(run() / "checkpoints");
    while (!trainer_->done()) {
      trainer_->begin_epoch_if_due();
      trainer_->step();
      if (trainer_->position().step == 0) save(checkpoints);
    }
  }

  fs::path run() const { return folder_ / "run"; }
  fs::path checkpoint(int epoch) const {
    return run() / "checkpoints" / files::checkpoint_name({epoch, 0});
  }
  const nn::Engine& engine() const { return engine_; }
  const data::ImageSet& set() const { return set_; }
  const data::OpenWorldSplit& split() const { return split_; }
  Trainer& trainer() { return *trainer_; }

 private:
  void save(files::CheckpointFolder& checkpoints) {
    checkpoints.save({trainer_->position().epoch, 0}, 0, [&](const fs::path& folder) {
      trainer_->save(folder);
      const Json state{{"model", to_json(model_)}, {"training", trainer_->state()}};
      files::write_file(folder / "state.json", state.dump());
    });
  }

  TemporaryFolder folder_;
  data::ImageSet set_ = data::make_synthetic({.classes = 4, .per_class = 75});
  data::OpenWorldSplit split_ = data::open_world_split(set_, {.known = 2, .labeled_ratio = 0.5});
  nn::Engine engine_{test_device()};
  ModelDescription model_;
  std::unique_ptr<Trainer> trainer_;
};

SmallRun& small_run() {
  static std::unique_ptr<SmallRun> run;
  if (!run) {
    run = std::make_unique<SmallRun>();
    at_end([] { run.reset(); });
  }
  return *run;
}

bool equal(const Prediction& a, const Prediction& b) {
  return a.group == b.group && a.confidence == b.confidence && a.margin == b.margin &&
         a.likeness == b.likeness;
}

bool equal(const std::vector<Prediction>& a, const std::vector<Prediction>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Prediction& x, const Prediction& y) { return equal(x, y); });
}

void flip_byte(const fs::path& file, std::streamoff at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(at);
  const auto byte = static_cast<char>(stream.get() ^ 1);
  stream.seekp(at);
  stream.put(byte);
}

}  // namespace

TEST_SUITE_BEGIN("opencd/trained_model");

TEST_CASE("a trained model predicts to the bit what its trainer predicts") {
  SmallRun& run = small_run();
  TrainedModel model(run.engine(), open_saved_model(run.run()));
  CHECK(equal(model.predict(run.set().train, run.split().unlabeled),
              run.trainer().predict_train(run.split().unlabeled)));
  CHECK(equal(model.predict(run.set().test), run.trainer().predict_test()));
  CHECK_EQ(model.groups().found, run.trainer().method().groups().found);
}

TEST_CASE("blocks of any size predict the same groups, and progress counts rows") {
  SmallRun& run = small_run();
  const SavedModel saved = open_saved_model(run.run());
  TrainedModel model(run.engine(), saved);
  const std::vector<Prediction> expected = model.predict(run.set().test);
  for (const std::size_t block : {1UL, 7UL, 64UL}) {
    TrainedModel other(run.engine(), saved, {.block = block});
    std::size_t done = 0;
    const auto predictions = other.predict(run.set().test, [&](std::size_t rows) { done = rows; });
    CHECK_EQ(done, run.set().test.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Another block may sum in another order, in the last bits.
      CHECK_LE(std::abs(predictions[i].likeness - expected[i].likeness), 1e-4);
    }
  }
}

TEST_CASE("embeddings are unit rows whose best cosine to a prototype is the likeness") {
  SmallRun& run = small_run();
  TrainedModel model(run.engine(), open_saved_model(run.run()));
  const RowFeatures rows = model.features(run.set().test);
  const std::size_t d = rows.embedding_columns;
  CHECK_EQ(rows.columns, 64);
  REQUIRE_EQ(d, 32);
  const nn::Parameter* parameter = model.parameters().find("prototypes");
  REQUIRE_NE(parameter, nullptr);
  const std::vector<float> prototypes = model.parameters().read(*parameter);
  const auto dot = [&](const float* a, const float* b) {
    return std::inner_product(a, a + d, b, 0.0);
  };
  double worst = 0.0;
  for (std::size_t row = 0; row < run.set().test.size(); ++row) {
    const float* z = &rows.embeddings[row * d];
    worst = std::max(worst, std::abs(dot(z, z) - 1.0));
    double best = -1.0;
    for (std::size_t k = 0; k < prototypes.size() / d; ++k) {
      const float* c = &prototypes[k * d];
      best = std::max(best, dot(z, c) / std::sqrt(dot(c, c)));
    }
    worst = std::max(worst, std::abs(best - rows.predictions[row].likeness));
  }
  CHECK_LE(worst, 1e-5);
  CHECK(equal(rows.predictions, model.predict(run.set().test)));
}

TEST_CASE("a run, its checkpoints, a link and one checkpoint all lead to a model") {
  const SmallRun& run = small_run();
  for (const fs::path& path : {run.run(), run.run() / "checkpoints",
                               run.run() / "checkpoints" / "last", run.checkpoint(2)}) {
    const SavedModel saved = open_saved_model(path);
    CHECK_EQ(saved.checkpoint.name(), "epoch-0002");
    CHECK_EQ(saved.run, fs::canonical(run.run()));
    CHECK_EQ(saved.groups, 4);
  }
  CHECK_EQ(open_saved_model(run.checkpoint(1)).checkpoint.name(), "epoch-0001");
}

TEST_CASE("a checkpoint alone, under any name, is enough") {
  SmallRun& run = small_run();
  const TemporaryFolder folder;
  fs::copy(run.checkpoint(2), folder / "my model");
  const SavedModel saved = open_saved_model(folder / "my model");
  CHECK(saved.run.empty());
  TrainedModel model(run.engine(), saved);
  CHECK(equal(model.predict(run.set().test), run.trainer().predict_test()));
}

TEST_CASE("a damaged checkpoint is named and the one before it is used") {
  const SmallRun& run = small_run();
  const TemporaryFolder folder;
  fs::copy(run.run(), folder / "run",
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const auto file = [&](const char* epoch) {
    return folder / "run" / "checkpoints" / epoch / "model.safetensors";
  };
  flip_byte(file("epoch-0002"), 5000);
  const SavedModel saved = open_saved_model(folder / "run");
  CHECK_EQ(saved.checkpoint.name(), "epoch-0001");
  REQUIRE_EQ(saved.refused.size(), 1);
  CHECK_CONTAINS(saved.refused.front(), "epoch-0002");
  const auto refused = [&](const fs::path& path) {
    return message_of<FormatError>([&] { open_saved_model(path); });
  };
  CHECK_CONTAINS(refused(file("epoch-0002").parent_path()), "model.safetensors");
  flip_byte(file("epoch-0001"), 5000);
  CHECK_CONTAINS(refused(folder / "run"), "every checkpoint is damaged");
}

TEST_CASE("what is no trained model is refused with what was expected") {
  const TemporaryFolder folder;
  const auto refused = [&](const fs::path& path, CheckpointChoice choice = CheckpointChoice::last) {
    return message_of<FormatError>([&] { open_saved_model(path, choice); });
  };
  CHECK_CONTAINS(refused(folder / "nothing"), "expected a run or a checkpoint");
  CHECK_CONTAINS(refused(folder.path()), "is no run: expected a folder with args.json");
  folder.put("args.json", "{}");
  CHECK_CONTAINS(refused(folder.path()), "no checkpoint yet");
  CHECK_CONTAINS(refused(folder.path(), CheckpointChoice::best), "no checkpoint is marked");
}

TEST_CASE("pictures of another shape are refused with both shapes") {
  SmallRun& run = small_run();
  const TrainedModel model(run.engine(), open_saved_model(run.run()));
  model.require_shape({16, 16, 3}, "set");
  const std::string message =
      message_of<FormatError>([&] { model.require_shape({28, 28, 1}, "digits"); });
  CHECK_CONTAINS(message, "trained for 16 x 16 x 3");
  CHECK_CONTAINS(message, "digits has 28 x 28 x 1");
}

TEST_SUITE_END();

}  // namespace opencd::test
