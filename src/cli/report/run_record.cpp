#include "cli/report/run_record.hpp"

#include "cli/report/csv_table.hpp"
#include "error.hpp"
#include "files/input_file.hpp"
#include "files/printable.hpp"
#include "files/strict_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace opencd::cli::report {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 32U;

std::string shown(const fs::path& file) { return files::printable(file.string()); }

Json json_or_empty(const fs::path& file) {
  return fs::exists(file) ? Json(files::read_json_file(file)) : Json::object();
}

CsvTable csv_file(const fs::path& file) {
  return parse_csv(files::read_text_file(file, kMaxBytes), shown(file));
}

/// A line that a killed process left half written is the last one, and is passed over.
std::vector<files::MetricsRecord> read_metrics(const fs::path& file) {
  std::vector<files::MetricsRecord> records;
  if (!fs::exists(file)) return records;
  const std::string text = files::read_text_file(file, kMaxBytes);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    const Json line = files::parse_json(std::string_view(text).substr(at, end - at), file);
    files::MetricsRecord record;
    for (const auto& [key, value] : line.items()) {
      if (key == "step")
        record.step = value.get<std::int64_t>();
      else if (key == "epoch")
        record.epoch = value.get<std::int64_t>();
      else
        record.values.emplace_back(key, value.is_number() ? value.get<double>() : NAN);
    }
    records.push_back(std::move(record));
    at = end + 1;
  }
  return records;
}

std::vector<ClassRecord> read_classes(const fs::path& file) {
  std::vector<ClassRecord> classes;
  if (!fs::exists(file)) return classes;
  const CsvTable table = csv_file(file);
  const std::size_t name = table.column("class"), known = table.column("known");
  for (const std::vector<std::string>& cells : table.rows) {
    const auto number = [&](const char* title) {
      return number_in(table, cells[table.column(title)]);
    };
    const auto count = [&](const char* title) { return static_cast<std::size_t>(number(title)); };
    classes.push_back({.name = cells[name],
                       .known = cells[known] == "yes",
                       .group = static_cast<std::int32_t>(number("group")),
                       .rows = count("rows"),
                       .group_rows = count("group_rows"),
                       .correct = count("correct"),
                       .recall = number("recall"),
                       .precision = number("precision")});
  }
  return classes;
}

/// predictions.csv of `train` and groups.csv of `discover`, which has neither paths nor classes.
std::vector<RowRecord> read_rows(const fs::path& file, const std::vector<ClassRecord>& classes) {
  std::vector<RowRecord> rows;
  if (!fs::exists(file)) return rows;
  const CsvTable table = csv_file(file);
  std::map<std::string, std::int32_t> places;
  for (const ClassRecord& cls : classes)
    places.emplace(cls.name, static_cast<std::int32_t>(places.size()));
  const auto has = [&](const char* title) {
    return std::find(table.header.begin(), table.header.end(), title) != table.header.end();
  };
  const std::size_t row = table.column("row"), group = table.column("group"),
                    confidence = table.column("confidence"), margin = table.column("margin"),
                    likeness = table.column("likeness");
  const std::size_t path = has("path") ? table.column("path") : table.header.size();
  const std::size_t cls = has("class") ? table.column("class") : table.header.size();
  rows.reserve(table.rows.size());
  for (const std::vector<std::string>& cells : table.rows) {
    RowRecord record{.row = static_cast<std::uint32_t>(number_in(table, cells[row])),
                     .group = static_cast<std::int32_t>(number_in(table, cells[group])),
                     .confidence = number_in(table, cells[confidence]),
                     .margin = number_in(table, cells[margin]),
                     .likeness = number_in(table, cells[likeness])};
    if (path < cells.size()) record.path = cells[path];
    if (cls < cells.size())
      if (const auto place = places.find(cells[cls]); place != places.end())
        record.cls = place->second;
    rows.push_back(std::move(record));
  }
  return rows;
}

/// Groups of known classes, and all others that have rows.
std::vector<GroupRecord> read_groups(const Json& summary) {
  std::vector<GroupRecord> groups;
  for (const Json& entry : summary.value("groups", Json::array())) {
    GroupRecord group{.group = entry.at("group").get<std::int32_t>(),
                      .rows = entry.at("size").get<std::size_t>()};
    const Json known = entry.value("known_class", Json());
    const std::string plain = fmt::format("group {}", group.group);
    group.known = !known.is_null();
    group.name = known.is_string()   ? known.get<std::string>()
                 : known.is_number() ? fmt::format("class {}", known.get<std::int64_t>())
                                     : entry.value("name", plain);
    group.named = !group.known && group.name != plain;
    if (group.known || group.rows > 0) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

Json RunRecord::setting(const std::string& key) const {
  const Json settings = arguments.value("settings", Json::object());
  return settings.contains(key) ? settings.at(key).value("value", Json()) : Json();
}

const GroupRecord* RunRecord::group(std::int32_t number) const {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const GroupRecord& candidate) {
    return candidate.group == number;
  });
  return found == groups.end() ? nullptr : &*found;
}

RunRecord read_run_record(const fs::path& folder) {
  if (!fs::exists(folder / "args.json"))
    fail<FormatError>("[report] {} is no run: it has no args.json", shown(folder));
  RunRecord run{.folder = folder};
  const fs::path whole = fs::absolute(folder).lexically_normal();
  run.name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  try {
    run.arguments = json_or_empty(folder / "args.json");
    run.environment = json_or_empty(folder / "env.json");
    run.verb = run.arguments.value("verb", "");
    const bool discovered = run.verb == "discover";
    const fs::path scores = discovered ? folder : folder / "eval";
    if (fs::exists(scores / "summary.json")) run.summary = json_or_empty(scores / "summary.json");
    run.metrics = read_metrics(folder / "metrics.jsonl");
    run.classes = read_classes(scores / "per_class.csv");
    run.rows = read_rows(scores / (discovered ? "groups.csv" : "predictions.csv"), run.classes);
    if (run.summary) run.groups = read_groups(*run.summary);
  } catch (const Json::exception& error) {
    fail<FormatError>("[report] the files of {} do not read: {}", shown(folder), error.what());
  }
  return run;
}

Points metric_points(const RunRecord& run, const std::string& metric, MetricAxis axis) {
  Points points;
  for (const files::MetricsRecord& record : run.metrics)
    for (const auto& [name, value] : record.values)
      if (name == metric && std::isfinite(value))
        points.emplace_back(
            static_cast<double>(axis == MetricAxis::epoch ? record.epoch : record.step), value);
  return points;
}

}  // namespace opencd::cli::report
