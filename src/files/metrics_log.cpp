#include "files/metrics_log.hpp"

#include "error.hpp"
#include "files/input_file.hpp"
#include "files/printable.hpp"
#include "files/strict_json.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

namespace opencd::files {

namespace {
namespace fs = std::filesystem;

double system_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string content(const fs::path& path) {
  return fs::exists(path) ? read_text_file(path, std::numeric_limits<std::uint64_t>::max()) : "";
}

/// The shortest digits that give the number back; f32 numbers, as losses are, need no more than f32's.
std::string format_number(double number) {
  const auto single = static_cast<float>(number);
  return static_cast<double>(single) == number ? fmt::format("{}", single)
                                               : fmt::format("{}", number);
}

std::string csv_header(const std::vector<std::string>& columns) {
  return fmt::format("step,epoch{}{}", columns.empty() ? "" : ",", fmt::join(columns, ","));
}

/// Names go into all three files as they are: nothing that one of them would have to escape.
void require_plain(const std::vector<std::string>& columns) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.-";
  for (const std::string& name : columns)
    if (name.empty() || name.find_first_not_of(kAllowed) != std::string::npos)
      fail<ShapeError>("[metrics] expected a name of letters, digits and _ / . -, got {}",
                       in_quotes(name));
}

/// Which records stay when the files are opened again: those from the front that a file has whole, are not after a step,
/// and are no more than so many.
struct Kept {
  std::int64_t last_step;
  std::int64_t most;

  /// Whether the next record stays, if it is of this step.
  bool take(std::int64_t step) {
    if (step > last_step || most <= 0) return false;
    --most;
    return true;
  }
};

AppendFile open_json_lines(const fs::path& path, Kept kept) {
  const auto wanted = [&](std::string_view line) {
    try {
      const nlohmann::json record = parse_json(line, path);
      return kept.take(record.at("step").get<std::int64_t>());
    } catch (const std::exception&) {  // a piece of a line, or zeros that a crash left
      return false;
    }
  };
  return {path, leading_lines(content(path), wanted)};
}

AppendFile open_csv(const fs::path& path, Kept kept, const std::vector<std::string>& columns) {
  const std::string header = csv_header(columns);
  const std::string text = content(path);
  const std::size_t first_line = text.find('\n');
  if (first_line == std::string::npos) {  // new, or killed while the header was written
    AppendFile file(path, 0);
    file.append(header + "\n");
    return file;
  }
  if (text.substr(0, first_line) != header)
    fail<FormatError>(
        "[metrics] {} has the columns {}, expected {}: it belongs to another program or version; "
        "start a new run or move it away",
        in_quotes(path.native()), in_quotes(text.substr(0, first_line)), in_quotes(header));
  const auto wanted = [&](std::string_view line) {
    std::int64_t step = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), step);
    return error == std::errc() && end != line.data() + line.size() && *end == ',' &&
           kept.take(step);
  };
  const std::size_t begin = first_line + 1;
  return {path, begin + leading_lines(std::string_view(text).substr(begin), wanted)};
}

std::int64_t most_records(const MetricsOptions& options) {
  return options.resume_records.value_or(kAllEvents);
}

Kept kept_records(const MetricsOptions& options) {
  return {options.resume_step, most_records(options)};
}

std::int64_t count_lines(const fs::path& path) {
  const std::string text = content(path);
  return std::count(text.begin(), text.end(), '\n');
}
}  // namespace

MetricsLog::MetricsLog(const fs::path& folder, MetricsOptions options)
    : options_([&] {
        require_plain(options.columns);
        if (!options.clock) options.clock = system_seconds;
        return std::move(options);
      }()),
      json_lines_(open_json_lines(folder / "metrics.jsonl", kept_records(options_))),
      csv_(open_csv(folder / "metrics.csv", kept_records(options_), options_.columns)),
      events_(folder, options_.resume_step, options_.clock(), most_records(options_)),
      // Not as many as are found where somebody removed some: what is added has its number in the run.
      records_(options_.resume_records ? *options_.resume_records
                                       : count_lines(folder / "metrics.jsonl")) {}

void MetricsLog::add(const MetricsRecord& record) {
  std::vector<std::string> cells(options_.columns.size());
  std::string line = fmt::format("{{\"step\":{},\"epoch\":{}", record.step, record.epoch);
  for (const auto& [name, number] : record.values) {
    const auto column = std::find(options_.columns.begin(), options_.columns.end(), name);
    if (column == options_.columns.end())
      fail<ShapeError>("[metrics] {} was not declared as a column", in_quotes(name));
    const std::string text = format_number(number);
    cells[static_cast<std::size_t>(column - options_.columns.begin())] = text;
    line += fmt::format(",\"{}\":{}", name, std::isfinite(number) ? text : "null");
  }
  json_lines_.append(line + "}\n");
  csv_.append(fmt::format("{},{}{}{}\n", record.step, record.epoch, cells.empty() ? "" : ",",
                          fmt::join(cells, ",")));
  events_.add(record.step, options_.clock(), record.values);
  ++records_;
}

void MetricsLog::sync() {
  json_lines_.sync();
  csv_.sync();
  events_.sync();
}

}  // namespace opencd::files
