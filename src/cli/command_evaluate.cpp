// `evaluate`: how good a model is on a data set.
#include "cli/commands.hpp"
#include "cli/data_options.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "error.hpp"
#include "opencd/classifier.hpp"

#include <spdlog/spdlog.h>

#include <chrono>

namespace opencd::cli {

namespace {

struct EvaluateOptions {
  CommonOptions common;
  bool classifier = false;
  DataArguments data;
  std::string stem = "cifar";
  ClassifierConfig config;
};

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

}  // namespace

void add_evaluate_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* verb = app.add_subcommand("evaluate", "Score a published classifier on a data set");
  verb->add_flag("--classifier", options->classifier, "Plain top-1 accuracy of a classifier")
      ->required();
  add_data_options(*verb, options->data);
  verb->add_option(
          "--arch", options->config.arch,
          "resnet20 | resnet32 | resnet44 | resnet56 | resnet110 | resnet18 | resnet34 | resnet50")
      ->required();
  verb->add_option("--weights", options->config.weights, "Weights, as safetensors")->required();
  verb->add_option("--stem", options->stem, "First layers of resnet18, 34 and 50")
      ->check(CLI::IsMember({"cifar", "imagenet"}))
      ->capture_default_str();
  verb->add_option("--width", options->config.width,
                   "Channels of the first stage; 0: the network's own")
      ->capture_default_str();
  verb->add_option("--mean", options->config.mean, "Mean of each channel, pixels from 0 to 1")
      ->delimiter(',');
  verb->add_option("--std", options->config.std, "Deviation of each channel")->delimiter(',');
  verb->add_option("-b,--batch", options->config.batch, "Pictures at a time")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  define_verb(*verb, options->common, action, [options] { return evaluate_classifier(*options); });
  verb->footer(
      "Example: opencd_sycl evaluate --classifier --arch resnet20 --weights resnet20.safetensors "
      "cifar-10-batches-bin");
}

}  // namespace opencd::cli
