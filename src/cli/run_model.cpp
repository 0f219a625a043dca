#include "cli/run_model.hpp"

#include "cli/output.hpp"
#include "error.hpp"
#include "files/strict_json.hpp"

#include <spdlog/spdlog.h>

namespace opencd::cli {

namespace {

/// The options of the run's own data set.
DataArguments recorded_data(const SavedModel& model) {
  if (model.run.empty())
    fail<UsageError>(
        "[data] {} is a checkpoint without its run, which would know the data; give DATA",
        printable(model.checkpoint.path.string()));
  const DataArguments defaults;
  try {
    const auto text = [&](const char* key, const std::string& fallback) {
      return recorded_setting(model, key, fallback).get<std::string>();
    };
    const auto number = [&](const char* key) {
      return recorded_setting(model, key, 0).get<std::size_t>();
    };
    const std::string data = text("data", "");
    if (data.empty())
      fail<FormatError>("[run] {}/args.json does not tell the data; give DATA",
                        printable(model.run.string()));
    return {.data = data,
            .format = text("format", defaults.format),
            .grey = recorded_setting(model, "grey", false).get<bool>(),
            .labels = text("labels", ""),
            .limit = number("limit"),
            .image_size = number("image-size"),
            .class_list = text("class-list", ""),
            .strict = recorded_setting(model, "strict", false).get<bool>(),
            .cache = recorded_setting(model, "cache", false).get<bool>()};
  } catch (const Json::exception& error) {
    fail<FormatError>("[run] {}/args.json does not tell the data: {}; give DATA",
                      printable(model.run.string()), error.what());
  }
}

}  // namespace

void add_model_options(CLI::App& verb, ModelArguments& arguments) {
  verb.add_option("RUN", arguments.run, "A run, its checkpoints folder, or one checkpoint")
      ->required();
  add_checkpoint_option(verb, arguments);
}

void add_checkpoint_option(CLI::App& verb, ModelArguments& arguments) {
  verb.add_option("--checkpoint", arguments.checkpoint, "Of a run: last | best")
      ->check(CLI::IsMember({"last", "best"}))
      ->capture_default_str();
}

SavedModel open_model(const ModelArguments& arguments) {
  SavedModel model =
      open_saved_model(arguments.run, arguments.checkpoint == "best" ? CheckpointChoice::best
                                                                     : CheckpointChoice::last);
  for (const std::string& damaged : model.refused)
    spdlog::warn("refused checkpoint {}", printable(damaged));
  spdlog::info("model: {} of {}", model.checkpoint.name(),
               printable(model.checkpoint.path.parent_path().string()));
  return model;
}

GroupNames group_names(const SavedModel& model) {
  GroupNames names(model.description.known_classes(), model.groups);
  if (model.run.empty()) return names;
  if (!read_names(model.run / "names.json", grouping_id(model.method_state), names))
    spdlog::warn("names.json was made for another grouping than that of {}; it is not used",
                 model.checkpoint.name());
  return names;
}

Json recorded_setting(const SavedModel& model, const std::string& key, const Json& fallback) {
  if (model.run.empty()) return fallback;
  const std::filesystem::path file = model.run / "args.json";
  const Json arguments = files::read_json_file(file);
  try {
    const Json settings = arguments.value("settings", Json::object());
    return settings.contains(key) ? settings.at(key).at("value") : fallback;
  } catch (const Json::exception& error) {
    fail<FormatError>("[run] {} does not tell {}: {}", printable(file.string()), key,
                      printable(error.what()));
  }
}

data::ImageSet open_model_data(const SavedModel& model, const DataArguments& wanted) {
  DataArguments arguments = wanted.data.empty() ? recorded_data(model) : wanted;
  const data::ImageShape& picture = model.description.picture;
  if (arguments.image_size == 0 && picture.height == picture.width)
    arguments.image_size = picture.height;
  if (picture.channels == 1) arguments.grey = true;
  data::ImageSet set = open_data(arguments);
  if (wanted.data.empty() && !is_trained_on(model, set))
    spdlog::warn("{} has changed since the run was trained on it: {} now, {} then",
                 printable(arguments.data), set.hash, model.description.data_hash);
  return set;
}

bool is_trained_on(const SavedModel& model, const data::ImageSet& set) {
  return set.hash == model.description.data_hash;
}

}  // namespace opencd::cli
