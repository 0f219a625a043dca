#include "cli/report/confusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opencd::cli::report {

namespace {

constexpr int kShades = 10;           // classes h0 to h10 of the style sheet
constexpr std::size_t kWritten = 24;  // more columns than this have no room for numbers

Markup kind_tag(bool known) {
  return tag("span", {{"class", known ? "tag known" : "tag novel"}}, known ? "known" : "novel");
}

std::string group_name(const RunRecord& run, std::int32_t number) {
  const GroupRecord* group = run.group(number);
  return group ? group->name : fmt::format("group {}", number);
}

Markup heat_cell(const ClassRecord& cls, const std::string& group, std::size_t rows, bool written) {
  const double share =
      cls.rows == 0 ? 0.0 : static_cast<double>(rows) / static_cast<double>(cls.rows);
  const int shade = rows == 0 ? 0 : std::max(1, static_cast<int>(std::lround(share * kShades)));
  return tag("td",
             {{"class", fmt::format("h{}", shade)},
              {"title", fmt::format("{} in {}: {} rows, {} % of the class", cls.name, group, rows,
                                    percent(share))}},
             written && rows != 0 ? std::to_string(rows) : "");
}

}  // namespace

std::map<std::int32_t, ClassCounts> classes_of_groups(const RunRecord& run) {
  std::map<std::int32_t, ClassCounts> counts;
  for (const RowRecord& row : run.rows)
    if (row.cls >= 0) ++counts[row.group][row.cls];
  return counts;
}

std::vector<std::int32_t> matched_order(const RunRecord& run) {
  std::vector<std::int32_t> order;
  const auto add = [&](std::int32_t group) {
    if (run.group(group) && std::find(order.begin(), order.end(), group) == order.end())
      order.push_back(group);
  };
  for (const ClassRecord& cls : run.classes) add(cls.group);
  for (const GroupRecord& group : run.groups) add(group.group);
  return order;
}

Markup heat_map(const RunRecord& run) {
  const std::vector<std::int32_t> order = matched_order(run);
  const auto counts = classes_of_groups(run);
  Markup head = tag("th", {{"class", "corner"}}, "class");
  for (const std::int32_t group : order)
    head += tag("th", {{"scope", "col"}}, tag("span", {}, group_name(run, group)));
  Markup body;
  for (std::size_t c = 0; c < run.classes.size(); ++c) {
    const ClassRecord& cls = run.classes[c];
    Markup line = tag("th", {{"scope", "row"}}, cls.name);
    for (const std::int32_t group : order) {
      const auto of_group = counts.find(group);
      std::size_t rows = 0;
      if (of_group != counts.end())
        if (const auto found = of_group->second.find(static_cast<std::int32_t>(c));
            found != of_group->second.end())
          rows = found->second;
      line += heat_cell(cls, group_name(run, group), rows, order.size() <= kWritten);
    }
    body += tag("tr", {}, line);
  }
  return tag("div", {{"class", "wide"}},
             tag("table", {{"class", order.size() <= kWritten ? "heat" : "heat dense"}},
                 tag("thead", {}, tag("tr", {}, head)) + tag("tbody", {}, body)));
}

Markup class_table(const RunRecord& run) {
  Markup body;
  for (const ClassRecord& cls : run.classes) {
    Markup line = tag("th", {{"scope", "row"}}, cls.name);
    line += tag("td", {}, kind_tag(cls.known));
    line += tag("td", {{"class", "number"}}, std::to_string(cls.rows));
    line += tag("td", {}, cls.group < 0 ? Markup("–") : Markup(group_name(run, cls.group)));
    line += tag("td", {{"class", "number"}}, percent(cls.recall));
    line += tag("td", {{"class", "bar"}}, bar(cls.recall));
    line += tag("td", {{"class", "number"}}, percent(cls.precision));
    line += tag("td", {{"class", "bar"}}, bar(cls.precision));
    body += tag("tr", {}, line);
  }
  Markup head;
  head += tag("th", {}, "class") + tag("th", {}, "") + tag("th", {{"class", "number"}}, "rows");
  head += tag("th", {}, "found as");
  head += tag("th", {{"colspan", "2"}, {"title", "share of the class that is in its group"}},
              "recall, %");
  head += tag("th", {{"colspan", "2"}, {"title", "share of the group that is of its class"}},
              "precision, %");
  return tag("div", {{"class", "wide"}},
             tag("table", {{"class", "plain"}},
                 tag("thead", {}, tag("tr", {}, head)) + tag("tbody", {}, body)));
}

Markup bar(double fraction) {
  return tag("svg",
             {{"viewBox", "0 0 100 8"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}},
             tag("rect", {{"class", "track"}, {"width", "100"}, {"height", "8"}, {"rx", "2"}}) +
                 tag("rect", {{"class", "filled"},
                              {"width", decimal(100.0 * std::clamp(fraction, 0.0, 1.0))},
                              {"height", "8"},
                              {"rx", "2"}}));
}

}  // namespace opencd::cli::report
