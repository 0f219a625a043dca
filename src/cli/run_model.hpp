// RUN on the command line: what every verb that uses a trained model takes, and how the model, the
// names of its groups and the data it was trained on are found.
#pragma once

#include "cli/data_options.hpp"
#include "cli/options.hpp"
#include "opencd/group_names.hpp"
#include "opencd/saved_model.hpp"

namespace opencd::cli {

struct ModelArguments {
  std::string run;
  std::string checkpoint = "last";
};

/// RUN and --checkpoint.
void add_model_options(CLI::App& verb, ModelArguments& arguments);
/// --checkpoint alone, for verbs with a RUN of their own.
void add_checkpoint_option(CLI::App& verb, ModelArguments& arguments);

/// Says which checkpoint it is and which damaged ones were passed over.
SavedModel open_model(const ModelArguments& arguments);

/// With the names that the user gave; says so if they were given for another grouping.
GroupNames group_names(const SavedModel& model);

/// What args.json of the run says of a setting: its value, or `fallback` if it is not there.
Json recorded_setting(const SavedModel& model, const std::string& key, const Json& fallback);

/// The data set `wanted` names, or else the one the model was trained on, in the model's size.
data::ImageSet open_model_data(const SavedModel& model, const DataArguments& wanted);

/// Whether the model was trained on this set; its split is then in splits.json of the run.
bool is_trained_on(const SavedModel& model, const data::ImageSet& set);

}  // namespace opencd::cli
