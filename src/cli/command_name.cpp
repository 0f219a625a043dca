// `name`: gives discovered groups names, which `predict` and `evaluate` then show.
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/run_model.hpp"
#include "data/file.hpp"
#include "data/labels_file.hpp"
#include "error.hpp"
#include "files/input_file.hpp"
#include "files/strict_json.hpp"

namespace opencd::cli {

namespace {

struct NameOptions {
  CommonOptions common;
  ModelArguments model;
  std::vector<std::string> assignments;  // "7=sneaker"
  std::vector<std::string> cleared;
  std::string from;
};

void take_file(const std::string& file, GroupNames& names) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 24U;
  const std::string shown = data::display_text(file);
  for (const data::LabelLine& line :
       data::parse_two_columns(files::read_text_file(file, kMaxBytes),
                               {.tag = "names", .key = "group", .value = "name"}, shown))
    names.give(parse_group(line.key), line.label);
}

/// Returns whether anything was asked for.
bool change(const NameOptions& options, GroupNames& names) {
  for (const std::string& group : options.cleared) names.clear(parse_group(group));
  if (!options.from.empty()) take_file(options.from, names);
  for (const std::string& word : options.assignments) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos)
      fail<UsageError>("--set: expected GROUP=NAME, got '{}'", printable(word));
    names.give(parse_group(word.substr(0, sign)), word.substr(sign + 1));
  }
  names.check();
  return !options.cleared.empty() || !options.from.empty() || !options.assignments.empty();
}

/// Rows of every group, where an evaluation has counted them; null elsewhere.
std::vector<Json> group_sizes(const SavedModel& model) {
  std::vector<Json> sizes(model.groups);
  const std::filesystem::path file = model.run / "eval" / "summary.json";
  if (!std::filesystem::exists(file)) return sizes;
  const Json summary = files::read_json_file(file);
  for (const Json& entry : summary.value("groups", Json::array()))
    if (const auto group = entry.value("group", model.groups); group < sizes.size())
      sizes[group] = entry.value("size", Json());
  return sizes;
}

void show(const NameOptions& options, const SavedModel& model, const GroupNames& names) {
  const std::vector<Json> sizes = group_sizes(model);
  Json list = Json::array();
  std::vector<std::vector<std::string>> table;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto group = static_cast<std::int32_t>(i);
    const bool known = names.is_known(group);
    const std::string name = names.of(group);
    list.push_back({{"group", group},
                    {"size", sizes[i]},
                    {"known_class", known ? Json(name) : Json()},
                    {"name", name}});
    table.push_back({std::to_string(group), sizes[i].is_null() ? "" : sizes[i].dump(),
                     known                           ? "known"
                     : names.given().contains(group) ? "named"
                                                     : "",
                     printable(name)});
  }
  if (options.common.json)
    print_json(
        {{"run", model.run.string()}, {"checkpoint", model.checkpoint.name()}, {"groups", list}});
  else
    print_table({"group", "rows", "", "name"}, table);
}

int name(const NameOptions& options) {
  const SavedModel model = open_model(options.model);
  if (model.run.empty())
    fail<UsageError>(
        "[name] {} is a checkpoint without its run, where names are kept; give the run",
        printable(options.model.run));
  if (model.groups == 0)
    fail<UsageError>("[name] {} is a run of {}, which has no groups", printable(options.model.run),
                     model.description.method);
  GroupNames names = group_names(model);
  if (change(options, names))
    write_names(model.run / "names.json", grouping_id(model.method_state), names);
  show(options, model, names);
  return 0;
}

}  // namespace

void add_name_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<NameOptions>();
  CLI::App* verb = app.add_subcommand("name", "Give the groups of a run names, or show them");
  add_model_options(*verb, options->model);
  // Here --set names groups; the one that sets options is left out.
  verb->add_option("--set", options->assignments, "GROUP=NAME; may be repeated")
      ->allow_extra_args(false)
      ->configurable(false);
  verb->add_option("--from", options->from, "CSV file with the header group,name");
  verb->add_option("--clear", options->cleared, "Take the name of this group away; may be repeated")
      ->allow_extra_args(false)
      ->configurable(false);
  define_verb(*verb, options->common, action, [options] { return name(*options); });
  verb->footer("Example: opencd_sycl name runs/train-fashion-mnist --set 7=sneaker --set 8=bag");
}

}  // namespace opencd::cli
