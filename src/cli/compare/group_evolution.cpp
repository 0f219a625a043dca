#include "cli/compare/group_evolution.hpp"

#include "cli/report/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opencd::cli {

namespace {

/// The name of a run without the seed behind it.
std::string without_end(const std::string& name, const std::string& seed) {
  const std::string end = "-" + seed;
  return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

}  // namespace

std::vector<GroupEvolution> group_evolutions(const std::vector<report::RunRecord>& runs) {
  std::vector<GroupEvolution> evolutions;
  for (const report::RunRecord& run : runs) {
    if (run.setting("classes") != "auto") continue;
    report::Points points = metric_points(run, "train/groups", report::MetricAxis::epoch);
    if (points.empty()) continue;
    const std::string seed = run.setting("seed").dump();
    const std::string name = without_end(run.name, seed);
    auto found = std::find_if(evolutions.begin(), evolutions.end(),
                              [&](const GroupEvolution& other) { return other.name == name; });
    if (found == evolutions.end()) found = evolutions.insert(found, {name, {}});
    found->seeds.push_back({seed, std::move(points)});
  }
  return evolutions;
}

std::string to_csv(const std::vector<GroupEvolution>& evolutions) {
  std::string text = "method,seed,epoch,groups\n";
  for (const GroupEvolution& evolution : evolutions)
    for (const auto& [seed, groups] : evolution.seeds)
      for (const auto& [epoch, count] : groups)
        text += fmt::format("{},{},{:.0f},{:.0f}\n", evolution.name, seed, epoch, count);
  return text;
}

report::Markup evolution_charts(const std::vector<GroupEvolution>& evolutions) {
  report::Markup charts;
  for (const GroupEvolution& evolution : evolutions) {
    std::vector<report::Series> series;
    series.reserve(evolution.seeds.size());
    for (const auto& [seed, groups] : evolution.seeds)
      series.push_back({"seed " + seed, groups, series.size()});
    charts += report::line_chart(
        series,
        {.title = evolution.name, .y_label = "groups", .low = 0.0, .steps = true, .apart = true});
  }
  return report::tag("div", {{"class", "charts"}}, charts);
}

}  // namespace opencd::cli
