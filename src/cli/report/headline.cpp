#include "cli/report/headline.hpp"

#include "error.hpp"
#include "files/strict_json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace opencd::cli::report {

namespace {

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

/// Rows and labelled rows, where the split was kept.
std::string split_text(const RunRecord& run) {
  const auto file = run.folder / "splits.json";
  if (!std::filesystem::exists(file)) return "";
  const Json split = files::read_json_file(file);
  const std::size_t known = split.value("known", std::size_t{0});
  return fmt::format("{} known class{}, {} of {} rows labelled", known, known == 1 ? "" : "es",
                     split.value("labeled", Json::array()).size(),
                     split.value("rows", std::size_t{0}));
}

Markup tile(const std::string& label,
            const std::string& figure,
            const std::string& unit,
            const std::string& below) {
  return tag("div", {{"class", "tile"}},
             tag("span", {{"class", "label"}}, label) +
                 tag("strong", {}, Markup(figure) + tag("small", {}, unit)) +
                 tag("span", {{"class", "below"}}, below));
}

std::string classes_below(const RunRecord& run) {
  const Json interval = run.summary->value("classes_interval", Json::array());
  std::string text;
  if (interval.size() == 2) {
    const Json &low = interval[0], &high = interval[1];
    text = low == high ? "given" : fmt::format("interval {} to {}", low.dump(), high.dump());
    if (low == high && text_of(run.setting("classes")) == "auto") text = "interval of one";
  }
  const double truly = summary_number(run, {"classes_true"});
  if (std::isfinite(truly))
    text += fmt::format("{}{} in truth", text.empty() ? "" : "; ", decimal(truly, 0));
  return text;
}

void add_scores(const RunRecord& run, const std::vector<std::string>& part, Markup& body) {
  const auto at = [&](std::vector<std::string> names) {
    names.insert(names.begin(), part.begin(), part.end());
    return summary_number(run, names);
  };
  if (!std::isfinite(at({"orca", "all"}))) return;
  const Json whole = part.empty() ? *run.summary : run.summary->at(part.front());
  const std::vector<std::pair<std::string, std::string>> protocols = {
      {"orca", "ORCA"}, {"gcd_v1", "GCD v1"}, {"gcd_v2", "GCD v2"}};
  for (const auto& [key, name] : protocols) {
    const bool first = key == "orca";
    Markup line;
    if (first)
      line = tag("th", {{"scope", "rowgroup"}, {"rowspan", std::to_string(protocols.size())}},
                 whole.value("split", "rows"));
    line += tag("td", {}, name);
    for (const char* kind : {"known", "novel", "all"})
      line += tag("td", {{"class", "number"}}, percent(at({key, kind})));
    for (const char* score : {"nmi", "ari"})
      line += tag("td", {{"class", "number"}}, first ? fmt::format("{:.3f}", at({score})) : "");
    body += tag("tr", {}, line);
  }
}

/// "2026-11-16T22:20:44Z" as "2026-11-16 22:20 UTC".
std::string readable_time(const std::string& time) {
  constexpr std::size_t kMinutes = 16;
  if (time.size() <= kMinutes || time[10] != 'T') return time;
  return fmt::format("{} {} UTC", time.substr(0, 10), time.substr(11, 5));
}

}  // namespace

double summary_number(const RunRecord& run, const std::vector<std::string>& path) {
  if (!run.summary) return NAN;
  const Json* value = &*run.summary;
  for (const std::string& name : path) {
    if (!value->is_object() || !value->contains(name)) return NAN;
    value = &value->at(name);
  }
  return value->is_number() ? value->get<double>() : NAN;
}

Markup subtitle(const RunRecord& run) {
  std::vector<std::string> parts;
  const std::string data = text_of(run.setting(run.verb == "discover" ? "features" : "data"));
  const std::string method = run.verb == "pretrain" ? "simclr" : text_of(run.setting("method"));
  parts.push_back(method + (data.empty() ? "" : " on " + data));
  parts.push_back(split_text(run));
  if (const std::string seed = text_of(run.setting("seed")); !seed.empty())
    parts.push_back("seed " + seed);
  parts.push_back(readable_time(run.arguments.value("started", "")));
  Markup text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? Markup() : Markup(" · ")) + Markup(part);
  return tag("p", {{"class", "subtitle"}}, text);
}

Markup headline(const RunRecord& run) {
  if (!run.summary)
    return tag("p", {{"class", "note"}},
               run.verb == "pretrain"
                   ? "A run of pretrain learns features; it has no groups and no scores."
                   : "This run has not been evaluated: it may have been interrupted. Go on with "
                     "--resume auto, or score its last checkpoint with `opencd_sycl evaluate`.");
  Markup tiles;
  if (std::isfinite(summary_number(run, {"orca", "all"}))) {
    tiles +=
        tile("known classes", percent(summary_number(run, {"orca", "known"})), " %", "accuracy");
    tiles += tile("novel classes", percent(summary_number(run, {"orca", "novel"})), " %",
                  "accuracy, nobody labelled them");
    tiles += tile("all", percent(summary_number(run, {"orca", "all"})), " %",
                  fmt::format("of {} {}", decimal(summary_number(run, {"rows"}), 0),
                              run.summary->value("split", "rows")));
  } else {
    tiles += tile("rows", decimal(summary_number(run, {"rows"}), 0), "",
                  "nobody knows their classes, so there are no scores");
  }
  tiles += tile("classes found", decimal(summary_number(run, {"classes_found"}), 0), "",
                classes_below(run));
  return tag("div", {{"class", "tiles"}}, tiles);
}

Markup score_table(const RunRecord& run) {
  Markup body;
  add_scores(run, {}, body);
  add_scores(run, {"test"}, body);
  if (body.empty()) return {};
  Markup head = tag("th", {}, "rows") + tag("th", {}, "protocol");
  for (const char* title : {"known, %", "novel, %", "all, %", "NMI", "ARI"})
    head += tag("th", {{"class", "number"}}, title);
  return tag("div", {{"class", "wide"}},
             tag("table", {{"class", "plain scores"}},
                 tag("thead", {}, tag("tr", {}, head)) + tag("tbody", {}, body)));
}

}  // namespace opencd::cli::report
