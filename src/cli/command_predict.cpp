// `predict`: the groups of new pictures, by a trained run.
#include "cli/calibrate_run.hpp"
#include "cli/commands.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/prediction_inputs.hpp"
#include "cli/prediction_writer.hpp"
#include "cli/progress.hpp"
#include "cli/run_model.hpp"
#include "error.hpp"
#include "opencd/trained_model.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace opencd::cli {

namespace {

constexpr std::size_t kBlock = 256;

struct PredictOptions {
  CommonOptions common;
  ModelArguments model;
  std::vector<std::string> inputs;
  std::string format = "csv";
  std::string out;
  bool strict = false;
  double none_below = kNoneBelow;
};

std::optional<Calibration> find_calibration(const SavedModel& saved) {
  std::optional<Calibration> found;
  if (!saved.run.empty()) found = read_calibration(saved.run / "eval", saved.checkpoint.name());
  if (!found)
    spdlog::warn(
        "no \"none of these\": {} has not been calibrated; `opencd_sycl evaluate` on the run does "
        "it",
        saved.checkpoint.name());
  else
    for (const auto& curve : {found->known, found->discovered})
      if (curve)
        spdlog::info("none of these: calibrated on {} {}", curve->count, printable(curve->rows));
  return found;
}

/// What is done with the inputs, of whatever kind.
class Predictor {
 public:
  Predictor(const PredictOptions& options,
            const SavedModel& saved,
            TrainedModel& model,
            const std::optional<Calibration>& calibration,
            PredictionWriter& writer)
      : options_(options),
        saved_(saved),
        model_(model),
        calibration_(calibration),
        writer_(writer) {}

  void pictures(const PredictionInputs& inputs, std::vector<std::string>& left_out) {
    if (inputs.pictures.empty()) return;
    Progress progress("predict", inputs.pictures.size(), "img", options_.common.hides_progress());
    read_pictures(inputs.pictures, saved_.description.picture, kBlock, left_out,
                  [&](const PictureRows& block, std::size_t done) {
                    const RowFeatures features = model_.features(block.rows);
                    for (std::size_t i = 0; i < block.places.size(); ++i)
                      add({.path = inputs.pictures[block.places[i]].path}, features, i);
                    progress.update(done);
                  });
    progress.finish();
  }

  void data_set(const std::string& data) {
    const data::ImageSet set = open_model_data(saved_, {.data = data, .strict = options_.strict});
    model_.require_shape(set.shape, printable(data));
    part(data, "train", set.train);
    part(data, "test", set.test);
  }

 private:
  void part(const std::string& data, const std::string& name, const data::ImageRows& rows) {
    Progress progress("predict", rows.size(), "img", options_.common.hides_progress());
    const RowFeatures features =
        model_.features(rows, [&](std::size_t done) { progress.update(done); });
    progress.finish();
    for (std::size_t i = 0; i < rows.size(); ++i)
      add({.path = data, .part = name, .row = i}, features, i);
  }

  void add(const RowOrigin& origin, const RowFeatures& features, std::size_t row) {
    const Prediction& prediction = features.predictions[row];
    std::optional<double> typicality;
    if (calibration_)
      typicality = calibration_->typicality(
          features.embedding(row), std::cmp_less(prediction.group, saved_.description.known));
    writer_.add(origin, prediction, typicality);
  }

  const PredictOptions& options_;
  const SavedModel& saved_;
  TrainedModel& model_;
  const std::optional<Calibration>& calibration_;
  PredictionWriter& writer_;
};

/// Broken pictures are named; with --strict, and where no picture is sound, they end the program.
void account_for(const PredictOptions& options,
                 const std::vector<std::string>& left_out,
                 std::size_t predicted) {
  if (left_out.empty()) return;
  log_left_out(left_out);
  if (options.strict || predicted == 0)
    fail<FormatError>("[predict] {} broken pictures{}, the first is {}", left_out.size(),
                      predicted == 0 ? " and no sound one" : "", printable(left_out.front()));
}

PredictionFormat output_format(const PredictOptions& options) {
  if (options.common.json) return PredictionFormat::json;
  return options.format == "csv" ? PredictionFormat::csv : PredictionFormat::json_lines;
}

int predict(const PredictOptions& options) {
  const SavedModel saved = open_model(options.model);
  if (saved.groups == 0)
    fail<UsageError>(
        "[predict] {} is a run of {}, which has no groups; predict takes runs of `train`",
        printable(options.model.run), saved.description.method);
  const GroupNames names = group_names(saved);
  const PredictionInputs inputs = find_inputs(options.inputs);
  const std::optional<Calibration> calibration = find_calibration(saved);

  const auto device = open_device(options.common);
  const nn::Engine engine(*device);
  const std::size_t block =
      inputs.data_sets.empty() ? std::min(kBlock, inputs.pictures.size()) : kBlock;
  TrainedModel model(engine, saved,
                     {.block = block, .deterministic = options.common.deterministic});
  PredictionWriter writer(output_format(options), options.out, names, options.none_below);
  Predictor predictor(options, saved, model, calibration, writer);
  std::vector<std::string> left_out = inputs.left_out;
  predictor.pictures(inputs, left_out);
  for (const std::string& data : inputs.data_sets) predictor.data_set(data);
  account_for(options, left_out, writer.rows());
  writer.finish({{"run", saved.run.string()},
                 {"checkpoint", saved.checkpoint.name()},
                 {"rows", writer.rows()},
                 {"none_of_these", calibration ? Json(writer.none_of_these()) : Json()},
                 {"none_below", options.none_below},
                 {"left_out", left_out}});
  if (calibration)
    spdlog::info("{} rows, {} of them none of these", writer.rows(), writer.none_of_these());
  return 0;
}

}  // namespace

void add_predict_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* verb = app.add_subcommand("predict", "Label new pictures by a trained run");
  add_model_options(*verb, options->model);
  verb->add_option("INPUT", options->inputs,
                   "Pictures, folders of pictures, .npy or .npz arrays, or any DATA that `data "
                   "info` takes")
      ->required();
  verb->add_option("--format", options->format, "csv | jsonl (an object a line)")
      ->check(CLI::IsMember({"csv", "jsonl"}))
      ->capture_default_str();
  verb->add_option("-o,--out", options->out, "Write to this file instead of stdout");
  verb->add_flag("--strict", options->strict, "End with 3 for one broken picture");
  verb->add_option("--none-below", options->none_below,
                   "Typicality below which a row is none of these: that share of rightful rows is")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  define_verb(*verb, options->common, action, [options] { return predict(*options); });
  verb->footer("Example: opencd_sycl predict runs/train-cifar-10 photos/ -o labels.csv");
}

}  // namespace opencd::cli
