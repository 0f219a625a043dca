// `evaluate`: how good a model is on a data set, be it a run of ours or a published classifier.
#include "cli/calibrate_run.hpp"
#include "cli/commands.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/run_model.hpp"
#include "cli/scoring.hpp"
#include "data/split_file.hpp"
#include "error.hpp"
#include "opencd/classifier.hpp"
#include "opencd/trained_model.hpp"

#include <spdlog/spdlog.h>

#include <chrono>

namespace opencd::cli {

namespace {

struct EvaluateOptions {
  CommonOptions common;
  std::vector<std::string> words;  // RUN [DATA], or DATA alone for a classifier
  ModelArguments model;
  DataArguments data;
  std::string out;
  bool classifier = false;
  std::string stem = "cifar";
  ClassifierConfig config;
};

/// The rows of the set as the run split them, or all rows of a set that it was not trained on.
ScoredRows rows_to_score(const SavedModel& model, const data::ImageSet& set) {
  const ModelDescription& description = model.description;
  if (!is_trained_on(model, set)) {
    spdlog::info("{} is not the set of the run; classes are matched by name", printable(set.name));
    return scored_rows(set, description.class_names, description.known,
                       "training rows of another set");
  }
  if (!model.run.empty()) return scored_rows(set, data::read_split(model.run / "splits.json", set));
  spdlog::warn("a checkpoint without its run: nobody knows which rows were labelled");
  return scored_rows(set, description.class_names, description.known, "all training rows");
}

/// Where the files of the evaluation go.
std::filesystem::path evaluation_folder(const EvaluateOptions& options,
                                        const SavedModel& model,
                                        const data::ImageSet& set) {
  if (!options.out.empty()) return options.out;
  if (model.run.empty())
    fail<UsageError>("[evaluate] a checkpoint without its run: say with -o where files go");
  // The scores of the run itself are not replaced by those of other data.
  return is_trained_on(model, set) ? model.run / "eval" : model.run / ("eval-" + set.name);
}

int evaluate_run(const EvaluateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const SavedModel saved = open_model(options.model);
  const data::ImageSet set = open_model_data(saved, options.data);
  const std::filesystem::path folder = evaluation_folder(options, saved, set);

  const auto device = open_device(options.common);
  const nn::Engine engine(*device);
  TrainedModel model(engine, saved, {.deterministic = options.common.deterministic});
  model.require_shape(set.shape, set.name);
  const ScoredRows rows = rows_to_score(saved, set);
  Progress progress("evaluate", rows.rows.size() + set.test.size(), "img",
                    options.common.hides_progress());
  const std::size_t train_rows = rows.rows.size();
  Scorer scorer({[&](std::span<const std::uint32_t> numbers) {
                   return model.predict(set.train, numbers,
                                        [&](std::size_t done) { progress.update(done); });
                 },
                 [&] {
                   return model.predict(
                       set.test, [&](std::size_t done) { progress.update(train_rows + done); });
                 },
                 [&] { return model.groups(); }},
                set, rows);
  scorer.predict();
  progress.finish();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  report_scores(scorer, group_names(saved),
                {.folder = folder,
                 .more = {{"preset", recorded_setting(saved, "preset", "")},
                          {"method", saved.description.method},
                          {"seconds", passed.count()}},
                 .more_json = {{"run", saved.run.string()},
                               {"checkpoint", saved.checkpoint.name()},
                               {"data", set.hash}},
                 .json = options.common.json});
  if (!is_trained_on(saved, set)) return 0;
  if (std::optional<Calibration> calibration = calibrate(model, set, rows.labeled)) {
    calibration->checkpoint = saved.checkpoint.name();
    write_calibration(folder, *calibration);
  }
  return 0;
}

int evaluate_classifier(const EvaluateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const data::ImageSet set = open_data(options.data);
  const bool held_out = set.test.size() > 0;
  const data::ImageRows& rows = held_out ? set.test : set.train;

  const auto device = open_device(options.common);
  const nn::Engine engine(*device);
  ClassifierConfig config = options.config;
  config.stem = options.stem == "imagenet" ? nn::Stem::imagenet : nn::Stem::cifar;
  Classifier classifier(engine, config, set.shape);
  if (classifier.classes() != static_cast<std::int64_t>(set.class_names.size()))
    fail<FormatError>("[evaluate] {}: the weights know {} classes, {} has {}",
                      config.weights.string(), classifier.classes(), set.name,
                      set.class_names.size());

  Progress progress("evaluate", rows.size(), "img", options.common.hides_progress());
  const auto classes = classifier.classify(rows, [&](std::size_t done) { progress.update(done); });
  progress.finish();
  std::size_t correct = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) correct += classes[i] == rows.labels[i] ? 1 : 0;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;

  const double accuracy = static_cast<double>(correct) / static_cast<double>(rows.size());
  const char* split = held_out ? "held-out test rows" : "training rows";
  if (options.common.json) {
    print_json({{"rows", rows.size()},
                {"correct", correct},
                {"accuracy", accuracy},
                {"split", split},
                {"arch", config.arch},
                {"seconds", passed.count()}});
  } else {
    print_line(fmt::format("{} of {} {} right: {:.2f} % ({:.1f} s)", correct, rows.size(), split,
                           100.0 * accuracy, passed.count()));
  }
  return 0;
}

int evaluate(EvaluateOptions& options) {
  const std::size_t most = options.classifier ? 1 : 2;
  if (options.words.size() > most)
    fail<UsageError>("evaluate: expected {}, got {} words",
                     options.classifier ? "DATA" : "RUN [DATA]", options.words.size());
  if (options.classifier) {
    if (options.config.arch.empty() || options.config.weights.empty())
      fail<UsageError>("evaluate --classifier needs --arch and --weights");
    options.data.data = options.words.front();
    return evaluate_classifier(options);
  }
  options.model.run = options.words.front();
  if (options.words.size() == most) options.data.data = options.words.back();
  return evaluate_run(options);
}

void add_classifier_options(CLI::App& verb, EvaluateOptions& options) {
  const std::string group = "Published classifier";
  CLI::Option* classifier =
      verb.add_flag("--classifier", options.classifier,
                    "Plain top-1 accuracy of a classifier: evaluate --classifier --arch A "
                    "--weights W DATA")
          ->group(group);
  verb.add_option(
          "--arch", options.config.arch,
          "resnet20 | resnet32 | resnet44 | resnet56 | resnet110 | resnet18 | resnet34 | resnet50")
      ->needs(classifier)
      ->group(group);
  verb.add_option("--weights", options.config.weights, "Weights, as safetensors")
      ->needs(classifier)
      ->group(group);
  verb.add_option("--stem", options.stem, "First layers of resnet18, 34 and 50")
      ->check(CLI::IsMember({"cifar", "imagenet"}))
      ->needs(classifier)
      ->capture_default_str()
      ->group(group);
  verb.add_option("--width", options.config.width,
                  "Channels of the first stage; 0: the network's own")
      ->needs(classifier)
      ->capture_default_str()
      ->group(group);
  verb.add_option("--mean", options.config.mean, "Mean of each channel, pixels from 0 to 1")
      ->delimiter(',')
      ->needs(classifier)
      ->group(group);
  verb.add_option("--std", options.config.std, "Deviation of each channel")
      ->delimiter(',')
      ->needs(classifier)
      ->group(group);
  verb.add_option("-b,--batch", options.config.batch, "Pictures at a time")
      ->check(CLI::Range(1, 65536))
      ->needs(classifier)
      ->capture_default_str()
      ->group(group);
}

}  // namespace

void add_evaluate_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* verb =
      app.add_subcommand("evaluate", "Score a run, or a published classifier, on a data set");
  verb->add_option("RUN", options->words,
                   "A run, its checkpoints folder or one checkpoint; then DATA, if it is not to be "
                   "the set of the run. With --classifier: DATA")
      ->required();
  add_checkpoint_option(*verb, options->model);
  verb->add_option("-o,--out", options->out, "Folder for the files (default: RUN/eval)");
  add_classifier_options(*verb, *options);
  add_reading_options(*verb, options->data);
  define_verb(*verb, options->common, action, [options] { return evaluate(*options); });
  verb->footer(
      "Example: opencd_sycl evaluate runs/train-cifar-10\n"
      "         opencd_sycl evaluate --classifier --arch resnet20 --weights resnet20.safetensors "
      "cifar-10-batches-bin");
}

}  // namespace opencd::cli
