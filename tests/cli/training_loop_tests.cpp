// The loop around training, interrupted at the very places where a signal could lose something.
#include "cli/training_loop.hpp"

#include "cli/data_options.hpp"
#include "cli/scoring.hpp"
#include "cli/train_run.hpp"
#include "nn/engine.hpp"
#include "opencd/methods/registry.hpp"
#include "support/device.hpp"
#include "support/message.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>

namespace opencd::test {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kEpochs = 4;

/// A run of a second, as `train` makes it from a command line, whose evaluations a test looks into.
class SmallTraining {
 public:
  explicit SmallTraining(std::vector<std::string> more) {
    spdlog::set_level(spdlog::level::warn);
    CLI::App app("program", "opencd_sycl");
    CLI::App* verb = app.add_subcommand("train", "Train");
    cli::Action action;
    cli::TrainOptions options;
    cli::add_train_options(*verb, options);
    cli::define_verb(*verb, options.common, action, [] { return 0; });
    std::vector<std::string> words = {"train",
                                      "synthetic:classes=4,per-class=40,size=12",
                                      "--width",
                                      "4",
                                      "--batch",
                                      "16",
                                      "--epochs",
                                      std::to_string(kEpochs),
                                      "--crop",
                                      "0",
                                      "--prototypes",
                                      "12",
                                      "--warm-epochs",
                                      "1",
                                      "--grouping-epochs",
                                      "3",
                                      "--classes",
                                      "4",
                                      "--labeled-ratio",
                                      "0.4",
                                      "--save-minutes",
                                      "0"};
    words.insert(words.end(), more.begin(), more.end());
    std::reverse(words.begin(), words.end());
    app.parse(words);
    set_ = cli::open_data(options.data);
    split_ = cli::open_split(options.split, set_);
    plan_ = cli::plan_training(options, set_, split_);
  }

  /// Trains in `out`, or goes on there. `at_evaluation` is called when the evaluation after an epoch has begun.
  int train(const fs::path& out, const std::function<void(std::int64_t epoch)>& at_evaluation) {
    const nn::Engine engine(test_device());
    Trainer trainer(engine, set_, split_, plan_.config, plan_.model.classes,
                    [&](const MethodContext& context) {
                      return make_method(plan_.model.method, context, plan_.model.method_options);
                    });
    cli::RunFolder run(
        {.verb = "train", .out = out, .resume = "auto", .key_settings = plan_.key_settings});
    cli::Scorer scorer(
        {[&](auto rows) { return trainer.predict_train(rows); },
         [&] { return trainer.predict_test(); }, [&] { return trainer.method().groups(); }},
        set_, cli::scored_rows(set_, split_));
    cli::TrainingLoop loop(trainer, run, plan_.options.run, plan_.model, true, [&] {
      scorer.forget();
      const std::optional<Evaluation> labelled = scorer.labelled();
      at_evaluation(trainer.position().epoch);
      return cli::EpochScores{scorer.unlabeled(), labelled->orca.known.fraction()};
    });
    return loop.run();
  }

 private:
  data::ImageSet set_;
  data::OpenWorldSplit split_;
  cli::PlannedTraining plan_;
};

std::uintmax_t bytes_of_events(const fs::path& run) {
  for (const auto& entry : fs::directory_iterator(run))
    if (entry.path().filename().native().starts_with("events.out.tfevents."))
      return entry.file_size();
  return 0;
}

/// All that a run leaves but times and what it was called with.
void check_same_run(const fs::path& run, const fs::path& whole) {
  for (const std::string file :
       {"metrics.jsonl", "metrics.csv", "checkpoints/last/state.json",
        "checkpoints/last/model.safetensors", "checkpoints/best/state.json"}) {
    CAPTURE(file);
    CHECK_EQ(text_of(run / file), text_of(whole / file));
  }
  CHECK_EQ(bytes_of_events(run), bytes_of_events(whole));  // its records have times
  for (const char* link : {"checkpoints/last", "checkpoints/best"})
    CHECK_EQ(fs::read_symlink(run / link), fs::read_symlink(whole / link));
}

const auto kNothing = [](std::int64_t) {};

}  // namespace

TEST_SUITE_BEGIN("cli/training_loop");

TEST_CASE("a signal in the middle of an evaluation loses neither its record nor the best") {
  const TemporaryFolder folder;
  for (const char* save_every : {"1", "2"}) {
    SmallTraining training({"--save-every", save_every});
    const fs::path whole = folder / (std::string("whole-") + save_every);
    REQUIRE_EQ(training.train(whole, kNothing), 0);
    for (std::int64_t stop = 1; stop <= kEpochs; ++stop) {
      CAPTURE(save_every);
      CAPTURE(stop);
      const fs::path run = folder / fmt::format("run-{}-{}", save_every, stop);
      // Twice, so that the second meets an end that was due before.
      for (int times = 0; times < 2; ++times)
        CHECK_EQ(training.train(run,
                                [&](std::int64_t epoch) {
                                  if (epoch == stop) ::raise(SIGTERM);
                                }),
                 143);
      REQUIRE_EQ(training.train(run, kNothing), 0);
      check_same_run(run, whole);
    }
  }
}

TEST_CASE("a run that died after the evaluation repeats it without a second record") {
  const TemporaryFolder folder;
  SmallTraining training({"--save-every", "2"});
  REQUIRE_EQ(training.train(folder / "whole", kNothing), 0);
  // Stopped in the evaluation after epoch 1, which the next start makes; that one dies in the next epoch's.
  CHECK_EQ(training.train(folder / "run", [](std::int64_t) { ::raise(SIGTERM); }), 143);
  struct Death {};
  CHECK_THROWS_AS(training.train(folder / "run",
                                 [](std::int64_t epoch) {
                                   if (epoch == 2) throw Death();
                                 }),
                  Death);
  REQUIRE_EQ(training.train(folder / "run", kNothing), 0);
  check_same_run(folder / "run", folder / "whole");
}

TEST_CASE(
    "the best checkpoint is the saved one that knows the labelled rows best, the later of equals") {
  const TemporaryFolder folder;
  SmallTraining training({"--save-every", "1", "--keep-last", "0"});
  REQUIRE_EQ(training.train(folder / "run", kNothing), 0);
  const fs::path checkpoints = folder / "run/checkpoints";
  const double best = json_of(checkpoints / "last/state.json").at("best_labelled");
  CHECK_GT(best, 0.3);
  // The best so far, as each checkpoint has it, rises up to the one that is marked and no further.
  double before = -1.0;
  std::string marked;
  for (std::int64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    const std::string name = fmt::format("epoch-{:04}", epoch);
    const double so_far = json_of(checkpoints / name / "state.json").at("best_labelled");
    CHECK_GE(so_far, before);
    if (so_far > before) marked = name;
    before = so_far;
  }
  CHECK_EQ(before, best);
  CHECK_GE(fs::read_symlink(checkpoints / "best").string(), marked);
}

TEST_SUITE_END();

}  // namespace opencd::test
