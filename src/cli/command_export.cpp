// `export`: what a run has learned, in formats that others read.
//
//   model.safetensors   weights under torchvision's names, then head.* and prototypes
//   groups.json         the group of every prototype, class or name of every group
//   rows.csv            class and group of every training row
//   features, embeddings, prototypes, labels, groups   as .npy, .csv or in arrays.safetensors
//   projector/          features and embeddings for TensorBoard's Projector, if asked for
#include "cli/array_files.hpp"
#include "cli/commands.hpp"
#include "cli/evaluation_files.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/projector_files.hpp"
#include "cli/run_model.hpp"
#include "cli/scoring.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "nn/model_weights.hpp"
#include "opencd/trained_model.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace opencd::cli {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  CommonOptions common;
  ModelArguments model;
  DataArguments data;
  std::string format = "npy";
  std::string out;
  bool projector = false;
  std::size_t projector_rows = 10'000;
};

fs::path made_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    fail<FormatError>("[export] cannot make {}: {}", printable(folder.string()), error.message());
  return folder;
}

fs::path export_folder(const ExportOptions& options, const SavedModel& saved) {
  if (options.out.empty() && saved.run.empty())
    fail<UsageError>("[export] a checkpoint without its run: say with -o where files go");
  return made_folder(options.out.empty() ? saved.run / "export" : fs::path(options.out));
}

/// Which prototypes make a group up, and what it is called.
void write_groups(const fs::path& file, const SavedModel& saved, const GroupNames& names) {
  const auto group_of =
      saved.method_state.value("group_of", std::vector<std::int32_t>());  // of every prototype
  Json groups = Json::array();
  for (std::int32_t group = 0; std::cmp_less(group, names.size()); ++group) {
    Json prototypes = Json::array();
    for (std::size_t k = 0; k < group_of.size(); ++k)
      if (group_of[k] == group) prototypes.push_back(k);
    const std::string name = names.of(group);
    groups.push_back({{"group", group},
                      {"known_class", names.is_known(group) ? Json(name) : Json()},
                      {"name", name},
                      {"prototypes", prototypes}});
  }
  const Json object = {{"checkpoint", saved.checkpoint.name()},
                       {"data", saved.description.data_hash},
                       {"classes", saved.description.class_names},
                       {"known", saved.description.known},
                       {"group_of", group_of},
                       {"groups", groups}};
  files::write_file(file, object.dump(2) + "\n");
}

std::vector<std::int32_t> groups_of(const std::vector<Prediction>& predictions) {
  std::vector<std::int32_t> groups;
  groups.reserve(predictions.size());
  for (const Prediction& prediction : predictions) groups.push_back(prediction.group);
  return groups;
}

/// What the network makes of every row.
std::vector<NamedArray> points_of(const RowFeatures& features) {
  const std::size_t rows = features.predictions.size();
  return {{"features", {rows, features.columns}, features.features},
          {"embeddings", {rows, features.embedding_columns}, features.embeddings}};
}

std::vector<std::string> write_rows(const fs::path& folder,
                                    const std::string& format,
                                    const TrainedModel& model,
                                    const RowFeatures& features,
                                    const std::vector<std::int32_t>& classes) {
  const std::size_t rows = classes.size();
  const std::vector<std::int32_t> groups = groups_of(features.predictions);
  std::vector<NamedArray> arrays = points_of(features);
  std::vector<float> prototypes;
  if (const nn::Parameter* parameter = model.parameters().find("prototypes")) {
    prototypes = model.parameters().read(*parameter);
    const auto dims = parameter->dims();
    arrays.push_back({"prototypes",
                      {static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims[1])},
                      prototypes});
  }
  arrays.push_back({"labels", {rows}, classes});
  arrays.push_back({"groups", {rows}, groups});
  return write_arrays(folder, format, arrays);
}

int export_run(const ExportOptions& options) {
  const SavedModel saved = open_model(options.model);
  const GroupNames names = group_names(saved);
  const data::ImageSet set = open_model_data(saved, options.data);
  const auto device = open_device(options.common);
  const nn::Engine engine(*device);
  TrainedModel model(engine, saved, {.deterministic = options.common.deterministic});
  model.require_shape(set.shape, set.name);
  const fs::path folder = export_folder(options, saved);

  Progress progress("export", set.train.size(), "img", options.common.hides_progress());
  const RowFeatures features =
      model.features(set.train, [&](std::size_t done) { progress.update(done); });
  progress.finish();
  const ScoredRows rows =
      scored_rows(set, saved.description.class_names, saved.description.known, "training rows");
  nn::save_model(folder / "model.safetensors", model.parameters());
  write_groups(folder / "groups.json", saved, names);
  const PredictedRows predicted{rows.rows, set.train.paths, rows.train_classes,
                                features.predictions};
  const Naming naming{rows.classes, rows.known, names};
  files::write_file(folder / "rows.csv", predictions_csv(predicted, naming));
  std::vector<std::string> written = {"model.safetensors", "groups.json", "rows.csv"};
  std::ranges::copy(write_rows(folder, options.format, model, features, rows.train_classes),
                    std::back_inserter(written));
  if (options.projector)
    for (const std::string& file :
         write_projector(made_folder(folder / "projector"), points_of(features), predicted, naming,
                         options.projector_rows))
      written.push_back("projector/" + file);
  if (options.common.json)
    print_json({{"folder", folder.string()},
                {"checkpoint", saved.checkpoint.name()},
                {"rows", set.train.size()},
                {"files", written}});
  else
    print_line(fmt::format("{}: {}", printable(folder.string()), fmt::join(written, ", ")));
  return 0;
}

}  // namespace

void add_export_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb =
      app.add_subcommand("export", "Write weights, features, prototypes and groups for others");
  add_model_options(*verb, options->model);
  verb->add_option("DATA", options->data.data,
                   "Whose training rows to take features of (default: the set of the run)");
  verb->add_option("--format", options->format, "Of arrays: npy | csv | safetensors")
      ->check(CLI::IsMember({"npy", "csv", "safetensors"}))
      ->capture_default_str();
  verb->add_option("-o,--out", options->out, "Folder to write to (default: RUN/export)");
  verb->add_flag("--projector", options->projector,
                 "Also write a folder for TensorBoard's Projector: tensorboard --logdir "
                 "RUN/export/projector");
  verb->add_option("--projector-rows", options->projector_rows,
                   "Rows that the Projector gets at most, taken at even steps")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->capture_default_str();
  define_verb(*verb, options->common, action, [options] { return export_run(*options); });
  verb->footer("Example: opencd_sycl export runs/train-cifar-10 --format npy -o cifar-features");
}

}  // namespace opencd::cli
