#include "cli/report/run_page.hpp"

#include "cli/report/confusion.hpp"
#include "cli/report/headline.hpp"
#include "cli/report/line_chart.hpp"
#include "cli/report/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace opencd::cli::report {

namespace {

Markup note(const Markup& text) { return tag("p", {{"class", "note"}}, text); }

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The metrics of training that are losses: all but figures of the optimizer and of the grouping.
std::vector<Series> losses(const RunRecord& run) {
  const std::set<std::string> others = {"lr", "gradient_norm", "groups", "labelled_accuracy"};
  std::vector<std::string> names;
  for (const files::MetricsRecord& record : run.metrics)
    for (const auto& [name, value] : record.values)
      if (name.starts_with("train/") && !others.contains(name.substr(6)) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  // The weighted total comes first.
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name == "train/loss"; });
  std::vector<Series> series;
  series.reserve(names.size());
  for (const std::string& name : names)
    series.push_back({name.substr(6), metric_points(run, name, MetricAxis::step), series.size()});
  return series;
}

std::vector<Series> metrics(const RunRecord& run,
                            const std::vector<std::pair<std::string, std::string>>& names) {
  std::vector<Series> series;
  series.reserve(names.size());
  for (const auto& [metric, name] : names)
    series.push_back({name, metric_points(run, metric, MetricAxis::epoch), series.size()});
  return series;
}

Markup settings_table(const Json& settings, bool defaults) {
  Markup body;
  for (const auto& [key, setting] : settings.items()) {
    const std::string source = setting.value("source", "default");
    if ((source == "default") != defaults) continue;
    body += tag("tr", {},
                tag("th", {{"scope", "row"}}, key) +
                    tag("td", {}, shown(setting.value("value", Json()))) +
                    tag("td", {{"class", "dim"}}, source));
  }
  return body.empty() ? Markup() : tag("table", {{"class", "plain pairs"}}, tag("tbody", {}, body));
}

/// Objects inside the environment, such as the device, become keys with a point.
void add_pairs(const std::string& prefix, const Json& object, Markup& body) {
  for (const auto& [key, value] : object.items())
    if (value.is_object())
      add_pairs(prefix + key + ".", value, body);
    else
      body +=
          tag("tr", {}, tag("th", {{"scope", "row"}}, prefix + key) + tag("td", {}, shown(value)));
}

Markup folded(const std::string& title, const Markup& content) {
  return content.empty() ? Markup() : tag("details", {}, tag("summary", {}, title) + content);
}

Markup naming_bar(const RunRecord& run) {
  const std::string command = shell_command({"opencd_sycl", "name", run.folder.string()});
  Markup bar = tag("button", {{"type", "button"}, {"id", "export-names"}}, "Export names.csv");
  bar += tag("span", {{"id", "export-said"}, {"role", "status"}});
  bar += tag("code", {}, command + " --from names.csv");
  return tag("div", {{"class", "export"}}, bar) +
         tag("noscript", {},
             note(Markup("Scripts are off. Names can be given with ") +
                  tag("code", {}, command + " --set GROUP=NAME")));
}

Markup sheets_section(const RunRecord& run, const RunExtras& extras) {
  Markup content = tag(
      "p", {},
      extras.takes_names ? "Look at the pictures, note what a discovered group is, and export the "
                           "names; predict and evaluate then use them."
                         : "Known classes come first, then the groups that were discovered.");
  if (!extras.no_pictures.empty()) content += note(extras.no_pictures);
  if (extras.takes_names) content += naming_bar(run);
  content += group_sheets(run, extras.typicalities,
                          {.set = extras.set,
                           .pictures = extras.sheet_pictures,
                           .sampled = extras.typicalities.size(),
                           .takes_names = extras.takes_names});
  return content;
}

Markup map_section(const RunRecord& run, const RunExtras& extras) {
  if (!extras.map) return note(extras.no_map);
  const FeatureMap& map = *extras.map;
  std::string said =
      fmt::format("{} unlabelled rows, laid out by t-SNE in the space where the method compares.",
                  map.rows.size());
  if (!map.prototypes.empty())
    said += fmt::format(" Diamonds are the {} prototypes; lines link those of a group.",
                        map.prototypes.size());
  return tag("p", {}, said) + feature_map(run, map);
}

}  // namespace

Markup curves(const RunRecord& run) {
  Markup charts = line_chart(losses(run), {.title = "Losses", .x_label = "step"});
  charts +=
      line_chart(metrics(run, {{"val/known", "known"},
                               {"val/novel", "novel"},
                               {"val/all", "all"},
                               {"val/nmi", "NMI"},
                               {"val/ari", "ARI"}}),
                 {.title = "Scores", .y_label = "%", .low = 0.0, .high = 1.0, .scale = 100.0});
  charts +=
      line_chart(metrics(run, {{"train/groups", "groups"}, {"val/classes_found", "classes found"}}),
                 {.title = "Number of groups", .low = 0.0, .steps = true});
  charts += line_chart(
      metrics(run, {{"train/labelled_accuracy", "labelled rows in the group of their class"}}),
      {.title = "Known classes while grouping",
       .y_label = "%",
       .low = 0.0,
       .high = 1.0,
       .scale = 100.0});
  return tag("div", {{"class", "charts"}}, charts);
}

Markup configuration(const RunRecord& run) {
  Markup content = tag("h3", {}, "Command");
  content += tag("pre", {}, tag("code", {}, shell_command(command_words(run))));
  const Json settings = run.arguments.value("settings", Json::object());
  content += tag("h3", {}, "Settings");
  content += settings_table(settings, false);
  content += folded("All defaults", settings_table(settings, true));
  Markup body;
  add_pairs("", run.environment, body);
  if (!body.empty())
    content +=
        folded("Environment", tag("table", {{"class", "plain pairs"}}, tag("tbody", {}, body)));
  return content;
}

Document run_page(const RunRecord& run, const RunExtras& extras) {
  Document page{.title = run.name, .header = subtitle(run) + headline(run), .sections = {}};
  const auto add = [&](const char* id, const char* title, Markup content) {
    page.sections.push_back({id, title, std::move(content)});
  };
  if (const Markup scores = score_table(run); !scores.empty()) add("scores", "Scores", scores);
  if (!run.groups.empty()) add("groups", "Groups", sheets_section(run, extras));
  if (run.verb != "pretrain" && run.verb != "discover") add("map", "Map", map_section(run, extras));
  if (!run.classes.empty()) {
    add("confusion", "Confusion",
        tag("p", {},
            "Rows of every class by the group they were put in; darker is a larger share of the "
            "class.") +
            heat_map(run));
    add("classes", "Classes", class_table(run));
  }
  if (!run.metrics.empty()) add("learning", "Learning", curves(run));
  add("configuration", "Configuration", configuration(run));
  return page;
}

}  // namespace opencd::cli::report
