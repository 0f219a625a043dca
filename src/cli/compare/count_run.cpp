#include "cli/compare/count_run.hpp"

#include "cli/scoring.hpp"
#include "cli/signals.hpp"
#include "cli/training_setup.hpp"
#include "opencd/methods/feature_collector.hpp"

#include <spdlog/spdlog.h>

#include <chrono>

namespace opencd::cli {

namespace {

/// Scores and groups of the unlabelled rows, in the files of every run.
void write_count(const CountedClasses& counted,
                 const PlannedRun& run,
                 const data::ImageSet& set,
                 const data::OpenWorldSplit& split,
                 const std::filesystem::path& folder,
                 double seconds) {
  const GroupCount count{counted.found, counted.found, counted.found};
  const PredictionSource source{[&](std::span<const std::uint32_t> rows) {
                                  std::vector<Prediction> chosen;
                                  for (const std::uint32_t row : rows)
                                    chosen.push_back(counted.predictions[row]);
                                  return chosen;
                                },
                                [] { return std::vector<Prediction>{}; }, [&] { return count; }};
  ScoredRows rows = scored_rows(set, split);
  rows.test_classes.clear();  // held-out rows were not counted
  std::vector<std::string> known(rows.classes.begin(),
                                 rows.classes.begin() + static_cast<std::ptrdiff_t>(rows.known));
  Scorer scorer(source, set, std::move(rows));
  report_scores(scorer, GroupNames(std::move(known), std::max(counted.found, split.known)),
                {.folder = folder,
                 .more = {{"method", run.counter}, {"epochs", 0}, {"seconds", seconds}},
                 .more_json = {},
                 .print = false});
}

}  // namespace

BackboneFeatures::BackboneFeatures(const nn::Engine& engine,
                                   const data::ImageSet& set,
                                   const data::OpenWorldSplit& split,
                                   const TrainOptions& options)
    : engine_(engine), set_(set), split_(split), options_(options) {}

const std::vector<float>& BackboneFeatures::values() {
  if (!values_.empty()) return values_;
  TrainerConfig config = plan_training(options_, set_, split_).config;
  config.epochs = 0;
  config.batch = 2;  // of no step
  config.encoder.freeze = nn::FreezePoint::stage4;
  const FeatureCollector* collector = nullptr;
  Trainer trainer(engine_, set_, split_, config, 0, [&](const MethodContext& context) {
    auto method = std::make_unique<FeatureCollector>(context);
    collector = method.get();
    return method;
  });
  load_start_weights(trainer, options_.learning.weights);
  const StopSignals signals;
  trainer.set_interrupt([] { return StopSignals::stop_requested(); });
  trainer.finish();
  values_ = collector->values();
  columns_ = collector->columns();
  return values_;
}

Json count_settings(const PlannedRun& run,
                    const CounterArguments& arguments,
                    const data::ImageSet& set,
                    const data::OpenWorldSplit& split) {
  Json settings = to_json(counter_config(run.counter, arguments, run.options.common));
  // The features are those that training would begin with.
  const Json training = plan_training(run.options, set, split).key_settings;
  for (const char* key : {kNumbersKey, "data", "split", "pixel-mean", "pixel-std", "arch", "width",
                          "stem", "weights", "deterministic"})
    settings[key] = training.at(key);
  return settings;
}

TrainedRun count_run(const PlannedRun& run,
                     const CounterArguments& arguments,
                     BackboneFeatures& features,
                     const data::ImageSet& set,
                     const data::OpenWorldSplit& split,
                     const nn::Engine& engine) {
  const auto start = std::chrono::steady_clock::now();
  const TrainOptions& o = run.options;
  const RunFolder folder(run_request("count", o.run, set.name,
                                     count_settings(run, arguments, set, split), o.common.sources));
  begin_run(folder, engine.device());
  TrainedRun result{0, false, folder.path()};
  std::optional<CountedClasses> counted;
  try {
    const std::vector<float>& values = features.values();
    std::vector<std::int32_t> labels(set.train.size(), -1);
    const std::vector<std::int32_t> places = data::class_places(split, set.train.labels);
    for (const std::uint32_t row : split.labeled) labels[row] = places[row];
    counted = count_until_signal(engine, {values, features.columns(), labels, split.known, 0},
                                 counter_config(run.counter, arguments, o.common),
                                 o.common.hides_progress());
  } catch (const Interrupted&) {
    counted = std::nullopt;
  }
  result.exit_code = counted ? 0 : StopSignals::exit_code();
  if (!counted) return result;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  write_count(*counted, run, set, split, folder.path() / "eval", passed.count());
  spdlog::info("{}: {} classes", run.name, counted->found);
  result.finished = true;
  return result;
}

}  // namespace opencd::cli
