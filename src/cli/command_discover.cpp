// `discover`: classes in the user's own embeddings, with or without labels.
#include "cli/commands.hpp"
#include "cli/counter_options.hpp"
#include "cli/discovery_files.hpp"
#include "cli/evaluation_files.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/training_setup.hpp"
#include "data/array_set.hpp"
#include "data/labels_file.hpp"
#include "data/npy_writer.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "opencd/discovery_settings.hpp"
#include "opencd/methods/registry.hpp"

#include <spdlog/spdlog.h>

#include <chrono>

namespace opencd::cli {

namespace {

struct DiscoverOptions {
  CommonOptions common;
  std::string features;
  std::string labels;
  std::string truth;
  std::string classes = "auto";
  std::string counter = "opencd";
  CounterArguments counting;
  std::string method = "opencd+";
  // Classes of people's own are seldom of one size, and how many rows have labels is theirs to say.
  PlusArguments plus{.labeled_share = 0.0, .balanced_prediction = false};
  std::int64_t prototypes = 0;
  double lambda_reg = DiscoveryTask{}.lambda_reg;
  std::int64_t epochs = DiscoveryTask{}.epochs;
  std::int64_t batch = 512;
  double learning_rate = DiscoveryTask{}.learning_rate;
  double dropout = FeatureTrainerConfig{}.view.dropout;
  double noise = FeatureTrainerConfig{}.view.noise;
  RunArguments run;
};

data::FeatureClasses open_classes(const DiscoverOptions& o, const data::FeatureSet& set) {
  std::vector<std::int32_t> labels(set.rows, data::kNoLabel);
  if (!o.labels.empty())
    labels = data::read_row_labels(o.labels, set.rows);
  else if (!set.labels.empty())
    labels = set.labels;
  std::vector<std::int32_t> truth;
  if (!o.truth.empty()) truth = data::read_row_labels(o.truth, set.rows);
  data::FeatureClasses classes = data::feature_classes(labels, truth);
  spdlog::info("{}: {} rows of {} features, {} labelled with {} classes", set.name, set.rows,
               set.columns, classes.labelled, classes.known);
  if (classes.labelled == set.rows)
    spdlog::warn("all rows are labelled: nothing is left to discover, and no row to score");
  if (classes.contradicted > 0)
    spdlog::warn("{} labelled rows have another class in {}", classes.contradicted, o.truth);
  return classes;
}

DiscoverySettings settings_for(const DiscoverOptions& o, const LabelledFeatures& features) {
  DiscoverySettings settings =
      discovery_settings({.rows = features.rows(),
                          .columns = features.columns,
                          .known = features.known,
                          .classes = features.classes,
                          .epochs = is_training_free(o.method) ? 0 : o.epochs,
                          .learning_rate = o.learning_rate,
                          .lambda_reg = o.lambda_reg,
                          .labelled_share = o.method == "opencd+" ? o.plus.labeled_share : 0.0,
                          .plus = o.method != "opencd"});
  if (o.prototypes != 0) settings.method.prototypes = o.prototypes;
  settings.trainer.batch = o.batch;
  settings.trainer.view = {static_cast<float>(o.dropout), static_cast<float>(o.noise)};
  settings.trainer.seed = o.common.seed;
  settings.trainer.deterministic = o.common.deterministic;
  return settings;
}

Json method_options(const DiscoverOptions& o, const OpenNcdConfig& config) {
  Json options = to_json(config);
  o.plus.write(options);
  return options_of_method(o.method, options);
}

/// Trains to the end; false after a signal.
bool train(FeatureTrainer& trainer, bool quiet) {
  const StopSignals signals;
  const std::size_t steps = trainer.steps_per_epoch();
  Progress progress("discover", steps * static_cast<std::size_t>(trainer.epochs()), "steps", quiet);
  while (!trainer.done()) {
    trainer.step();
    progress.update(trainer.steps_done());
    if (StopSignals::stop_requested()) return false;
    if (trainer.steps_done() % steps != 0) continue;
    progress.finish();
    std::string text;
    for (const auto& [name, value] : trainer.method().losses())
      text += fmt::format("  {} {:.3f}", name, value);
    spdlog::info("epoch {}/{}{}  groups {}", trainer.steps_done() / steps, trainer.epochs(), text,
                 trainer.method().groups().found);
  }
  progress.finish();
  trainer.finish();
  return true;
}

RunFolder open_run(const DiscoverOptions& o, const data::FeatureSet& set, Json settings) {
  settings["data"] = set.hash;
  settings["classes"] = o.classes;
  settings["seed"] = o.common.seed;
  return RunFolder(run_request("discover", o.run, set.name, std::move(settings), o.common.sources));
}

struct Discovery {
  const data::FeatureClasses& classes;
  std::vector<Prediction> predictions;
  GroupCount count;
  std::optional<Evaluation> evaluation;
};

Discovery look_at(std::vector<Prediction> predictions,
                  const GroupCount& count,
                  const data::FeatureClasses& classes) {
  Discovery found{classes, std::move(predictions), count, std::nullopt};
  if (!classes.truth.empty())
    found.evaluation = evaluate(found.predictions, classes.hidden_truth(), classes.known,
                                classes.class_order.size(), found.count, "unlabelled rows");
  return found;
}

void report(const DiscoverOptions& o,
            const Discovery& found,
            const RunFolder& run,
            double seconds) {
  const std::vector<GroupSize> groups = group_sizes(found.predictions, found.classes);
  Json summary = discovery_summary(found.evaluation, found.count, groups, found.predictions.size());
  summary["method"] = o.counter == "opencd" ? o.method : o.counter;
  summary["labelled"] = found.classes.labelled;
  summary["seconds"] = seconds;
  files::write_file(run.path() / "groups.csv", groups_csv(found.predictions, found.classes));
  files::write_file(run.path() / "summary.json", summary.dump(2) + "\n");
  if (o.common.json) {
    summary["run"] = run.path().string();
    print_json(summary);
    return;
  }
  print_groups(groups, found.count);
  if (found.evaluation) print_evaluation(*found.evaluation);
}

void save_model(const DiscoverOptions& o,
                FeatureTrainer& trainer,
                const LabelledFeatures& features,
                const data::FeatureClasses& classes,
                const Json& options,
                const RunFolder& run) {
  const auto known = std::span(classes.class_order).first(classes.known);
  trainer.save(run.path() / "model.safetensors");
  const Json state{{"format", "opencd_sycl features 1"},
                   {"columns", features.columns},
                   {"method", o.method},
                   {"method_options", options},
                   {"known_classes", std::vector<std::int32_t>(known.begin(), known.end())},
                   {"classes", features.classes},
                   {"seed", o.common.seed},
                   {"state", trainer.method().state()}};
  files::write_file(run.path() / "state.json", state.dump(2) + "\n");
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// By a counter of clusters, which has no use for a method.
int count(const DiscoverOptions& o,
          const data::FeatureSet& set,
          const data::FeatureClasses& classes,
          std::chrono::steady_clock::time_point start) {
  if (o.classes != "auto" || o.method != "opencd+")
    fail<UsageError>(
        "--counter {} finds number and groups itself; leave --classes and --method out", o.counter);
  const LabelledFeatures features{set.values, set.columns, classes.labels, classes.known, 0};
  const CounterConfig config = counter_config(o.counter, o.counting, o.common);
  check_countable(features, config);
  const auto device = open_device(o.common);
  const nn::Engine engine(*device);
  const RunFolder run = open_run(o, set, to_json(config));
  begin_run(run, *device);
  const auto counted = count_until_signal(engine, features, config, o.common.hides_progress());
  if (!counted) {
    spdlog::warn("stopped; no groups were written");
    return StopSignals::exit_code();
  }
  const std::size_t found = counted->found;
  data::write_npy(run.path() / "centres.npy", counted->centres,
                  {counted->centres.size() / set.columns, set.columns});
  report(o, look_at(counted->predictions, {found, found, found}, classes), run,
         seconds_since(start));
  return 0;
}

int discover(const DiscoverOptions& o) {
  const auto start = std::chrono::steady_clock::now();
  const data::FeatureSet set = data::read_features(o.features);
  const data::FeatureClasses classes = open_classes(o, set);
  if (o.counter != "opencd") return count(o, set, classes, start);
  const LabelledFeatures features{set.values, set.columns, classes.labels, classes.known,
                                  parse_classes(o.classes)};
  const DiscoverySettings settings = settings_for(o, features);
  const Json options = method_options(o, settings.method);
  const auto device = open_device(o.common);
  const nn::Engine engine(*device);
  FeatureTrainer trainer(engine, features, settings.trainer, [&](const MethodContext& context) {
    return make_method(o.method, context, options);
  });
  const RunFolder run = open_run(o, set, {{"method", o.method}, {"method-options", options}});
  begin_run(run, *device);
  if (!train(trainer, o.common.hides_progress())) {
    spdlog::warn("stopped; no groups were written");
    return StopSignals::exit_code();
  }
  const Discovery found = look_at(trainer.predict(), trainer.method().groups(), classes);
  save_model(o, trainer, features, classes, options, run);
  report(o, found, run, seconds_since(start));
  return 0;
}

void add_learning(CLI::App& verb, DiscoverOptions& o) {
  const std::string group = "Learning";
  const auto number = [&](const char* name, auto& value, const char* help) {
    return verb.add_option(name, value, help)->capture_default_str()->group(group);
  };
  verb.add_option("--method", o.method, "Method; the k-means ones are baselines, without training")
      ->check(CLI::IsMember({"opencd", "opencd+", "simclr-kmeans", "gcd-kmeans"}))
      ->capture_default_str()
      ->group(group);
  add_plus_options(verb, o.plus, group);
  number("--prototypes", o.prototypes, "K; 0: chosen by rows and classes")
      ->check(CLI::Range(0, 1000));
  number("--lambda-reg", o.lambda_reg,
         "Weight of classes being alike in size; less where they are not")
      ->check(CLI::NonNegativeNumber);
  number("--epochs", o.epochs, "Passes over all rows, of 100 steps at least")
      ->check(CLI::Range(1, 1000000));
  number("-b,--batch", o.batch, "Rows a step; a quarter of the rows at most")
      ->check(CLI::Range(2, 65536));
  number("--lr", o.learning_rate, "Learning rate")->check(CLI::PositiveNumber);
  number("--dropout", o.dropout, "Share of the features that a view drops")
      ->check(CLI::Range(0.0, 0.95));
  number("--noise", o.noise, "Deviation of what a view adds to a feature; features are of order 1")
      ->check(CLI::NonNegativeNumber);
}

}  // namespace

void add_discover_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiscoverOptions>();
  CLI::App* verb =
      app.add_subcommand("discover", "Find classes in embeddings that you have: .npy or .npz");
  verb->add_option("FEATURES", options->features, "Rows of features: .npy, or x of an .npz")
      ->required();
  verb->add_option(
      "--labels", options->labels,
      "Classes of some rows: .npy with -1 for unlabelled, or CSV row,label (default: y "
      "of the .npz, or none)");
  verb->add_option("--truth", options->truth, "Classes of all rows in the same form, for scores");
  verb->add_option("--classes", options->classes, "Number of classes, known and new; auto: unknown")
      ->capture_default_str();
  verb->add_option("--counter", options->counter, "What finds an unknown number of classes")
      ->check(CLI::IsMember(all_counters()))
      ->capture_default_str();
  add_learning(*verb, *options);
  add_counter_options(*verb, options->counting);
  verb->add_option("-o,--out", options->run.out, "Folder of the results (default: runs/NAME)");
  verb->add_option("--name", options->run.name, "NAME of the run (default: verb and file)");
  verb->add_option("--runs", options->run.root, "Where runs are")->capture_default_str();
  define_verb(*verb, options->common, action, [options] { return discover(*options); });
  verb->footer(
      "Example: opencd_sycl discover embeddings.npy --labels labels.csv --classes auto --out "
      "found");
}

}  // namespace opencd::cli
