#include "cli/report/comparison.hpp"

#include "cli/mean_deviation.hpp"
#include "cli/report/headline.hpp"
#include "cli/report/line_chart.hpp"
#include "cli/report/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

namespace opencd::cli::report {

namespace {

/// A score of a run, by the names of its objects in the summary.
struct Score {
  const char* title;
  std::vector<std::string> path;
  double scale;
  int digits;      // of a mean
  int run_digits;  // of one run
};

const std::vector<Score>& scores() {
  static const std::vector<Score> list = {{"known, %", {"orca", "known"}, 100.0, 1, 1},
                                          {"novel, %", {"orca", "novel"}, 100.0, 1, 1},
                                          {"all, %", {"orca", "all"}, 100.0, 1, 1},
                                          {"NMI", {"nmi"}, 1.0, 3, 3},
                                          {"ARI", {"ari"}, 1.0, 3, 3},
                                          {"classes found", {"classes_found"}, 1.0, 1, 0}};
  return list;
}

std::map<std::string, Json> compared_settings(const RunRecord& run) {
  std::map<std::string, Json> settings = {{"verb", run.verb}};
  const Json recorded = run.arguments.value("settings", Json::object());
  for (const auto& [key, setting] : recorded.items())
    if (key != "seed" && !is_housekeeping(key)) settings[key] = setting.value("value", Json());
  return settings;
}

std::string letter_name(std::size_t number) {
  std::string name;
  for (++number; number > 0; number = (number - 1) / 26)
    name.insert(name.begin(), static_cast<char>('A' + (number - 1) % 26));
  return name;
}

/// The name of a run without the seed behind it; empty if it has none there.
std::string without_seed(const RunRecord& run) {
  const std::string end = "-" + run.setting("seed").dump();
  return run.name.ends_with(end) ? run.name.substr(0, run.name.size() - end.size()) : "";
}

/// What the runs of every configuration are called, if that tells all of them apart.
std::optional<std::vector<std::string>> names_of_runs(const std::vector<Configuration>& list,
                                                      const std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  for (const Configuration& configuration : list) {
    const std::string name = without_seed(runs[configuration.runs.front()]);
    const bool shared =
        std::all_of(configuration.runs.begin(), configuration.runs.end(),
                    [&](std::size_t run) { return without_seed(runs[run]) == name; });
    if (!shared || name.empty()) return std::nullopt;
    names.push_back(name);
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) return std::nullopt;
  return names;
}

Markup number_cell(const std::string& text) { return tag("td", {{"class", "number"}}, text); }

Markup score_heads() {
  Markup head;
  for (const Score& score : scores()) head += tag("th", {{"class", "number"}}, score.title);
  return head;
}

Markup configuration_label(const Configuration& configuration, std::size_t place) {
  return tag("i", {{"class", "swatch " + colour_class(place)}}) + Markup(configuration.name);
}

Markup mean_table(const std::vector<RunRecord>& runs, const std::vector<Configuration>& list) {
  Markup body;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Markup line = tag("th", {{"scope", "row"}}, configuration_label(list[i], i));
    line += number_cell(std::to_string(list[i].runs.size()));
    for (const Score& score : scores()) {
      std::vector<double> values;
      for (const std::size_t run : list[i].runs)
        values.push_back(score.scale * summary_number(runs[run], score.path));
      const MeanDeviation m = mean_deviation(values);
      line += number_cell(m.count == 0   ? "–"
                          : m.count == 1 ? fmt::format("{:.{}f}", m.mean, score.run_digits)
                                         : fmt::format("{:.{}f} ± {:.{}f}", m.mean, score.digits,
                                                       m.deviation, score.digits));
    }
    body += tag("tr", {}, line);
  }
  return plain_table(
      tag("th", {}, "configuration") + tag("th", {{"class", "number"}}, "runs") + score_heads(),
      body);
}

Markup run_table(const std::vector<RunRecord>& runs, const std::vector<Configuration>& list) {
  Markup body;
  for (std::size_t i = 0; i < list.size(); ++i)
    for (const std::size_t run : list[i].runs) {
      Markup line = tag("th", {{"scope", "row"}}, runs[run].name);
      line += tag("td", {}, configuration_label(list[i], i));
      line += number_cell(runs[run].setting("seed").dump());
      for (const Score& score : scores()) {
        const double value = score.scale * summary_number(runs[run], score.path);
        line += number_cell(std::isfinite(value) ? fmt::format("{:.{}f}", value, score.run_digits)
                                                 : "–");
      }
      body += tag("tr", {}, line);
    }
  return plain_table(tag("th", {}, "run") + tag("th", {}, "configuration") +
                         tag("th", {{"class", "number"}}, "seed") + score_heads(),
                     body);
}

Markup difference_table(const std::vector<Configuration>& list) {
  const std::vector<std::string> keys = differing_settings(list);
  if (keys.empty())
    return tag("p", {{"class", "note"}}, "The runs differ in nothing but their seeds.");
  Markup head = tag("th", {}, "setting"), body;
  for (std::size_t i = 0; i < list.size(); ++i)
    head += tag("th", {}, configuration_label(list[i], i));
  for (const std::string& key : keys) {
    Markup line = tag("th", {{"scope", "row"}}, key);
    for (const Configuration& configuration : list) {
      const auto found = configuration.settings.find(key);
      std::string text = "–";
      if (found != configuration.settings.end())
        text = found->second.is_string() ? found->second.get<std::string>() : found->second.dump();
      line += tag("td", {}, text);
    }
    body += tag("tr", {}, line);
  }
  return plain_table(head, body);
}

Markup charts(const std::vector<RunRecord>& runs, const std::vector<Configuration>& list) {
  const auto chart = [&](const std::string& metric, const ChartOptions& options) {
    std::vector<Series> series;
    for (std::size_t i = 0; i < list.size(); ++i)
      for (const std::size_t run : list[i].runs)
        series.push_back({runs[run].name.starts_with(list[i].name + "-")
                              ? runs[run].name
                              : fmt::format("{} {}", list[i].name, runs[run].name),
                          metric_points(runs[run], metric, MetricAxis::epoch), i});
    return line_chart(series, options);
  };
  const ChartOptions share = {.y_label = "%", .low = 0.0, .high = 1.0, .scale = 100.0};
  Markup content;
  for (const auto& [metric, title] :
       std::array<std::pair<const char*, const char*>, 3>{{{"val/all", "All classes"},
                                                           {"val/novel", "Novel classes"},
                                                           {"val/known", "Known classes"}}}) {
    ChartOptions options = share;
    options.title = title;
    content += chart(metric, options);
  }
  content += chart("train/groups", {.title = "Number of groups", .low = 0.0, .steps = true});
  return tag("div", {{"class", "charts"}}, content);
}

}  // namespace

std::vector<Configuration> configurations(const std::vector<RunRecord>& runs) {
  std::vector<Configuration> list;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::map<std::string, Json> settings = compared_settings(runs[i]);
    auto found = std::find_if(list.begin(), list.end(), [&](const Configuration& configuration) {
      return configuration.settings == settings;
    });
    if (found == list.end())
      found = list.insert(list.end(), {letter_name(list.size()), {}, settings});
    found->runs.push_back(i);
  }
  if (const auto names = names_of_runs(list, runs))
    for (std::size_t i = 0; i < list.size(); ++i) list[i].name = (*names)[i];
  return list;
}

std::vector<std::string> differing_settings(const std::vector<Configuration>& list) {
  std::set<std::string> keys;
  for (const Configuration& configuration : list)
    for (const auto& [key, value] : configuration.settings) keys.insert(key);
  std::vector<std::string> result;
  for (const std::string& key : keys) {
    const auto value = [&](const Configuration& configuration) {
      const auto found = configuration.settings.find(key);
      return found == configuration.settings.end() ? Json() : found->second;
    };
    if (std::any_of(list.begin(), list.end(), [&](const Configuration& configuration) {
          return value(configuration) != value(list.front());
        }))
      result.push_back(key);
  }
  return result;
}

Document comparison_page(const std::vector<RunRecord>& runs) {
  const std::vector<Configuration> list = configurations(runs);
  Document page{.title = "Comparison of runs", .header = {}, .sections = {}};
  page.header =
      tag("p", {{"class", "subtitle"}},
          fmt::format("{} runs of {} configuration{}; runs that differ by nothing but their "
                      "seed are one configuration",
                      runs.size(), list.size(), list.size() == 1 ? "" : "s"));
  page.sections.push_back({"scores", "Scores",
                           tag("p", {}, "ORCA’s protocol; mean ± standard deviation over seeds.") +
                               mean_table(runs, list)});
  page.sections.push_back({"differences", "Differences", difference_table(list)});
  page.sections.push_back({"runs", "Runs", run_table(runs, list)});
  page.sections.push_back({"learning", "Learning", charts(runs, list)});
  return page;
}

}  // namespace opencd::cli::report
