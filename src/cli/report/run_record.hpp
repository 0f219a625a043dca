// What a run folder tells without its data set and without a device: settings, environment, metrics,
// scores, the group of every row. Anything but args.json may be missing: a run may have been
// interrupted, or be one of `discover` or `pretrain`, which leave other files.
#pragma once

#include "files/metrics_log.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opencd::cli::report {

using Json = nlohmann::ordered_json;

/// A row that was not labelled, and where the model puts it.
struct RowRecord {
  std::uint32_t row = 0;  // in the data set
  std::string path;       // empty where rows are no files
  std::int32_t cls = -1;  // place in RunRecord::classes; negative: nobody knows
  std::int32_t group = 0;
  double confidence = 0.0;
  double margin = 0.0;
  double likeness = 0.0;
};

struct ClassRecord {
  std::string name;
  bool known = false;
  std::int32_t group = -1;     // that it was matched with; negative: none
  std::size_t rows = 0;        // of the class
  std::size_t group_rows = 0;  // of the matched group
  std::size_t correct = 0;     // of both
  double recall = 0.0;
  double precision = 0.0;
};

struct GroupRecord {
  std::int32_t group = 0;
  std::string name;
  bool known = false;  // stands for a known class
  bool named = false;  // by its user
  std::size_t rows = 0;
};

struct RunRecord {
  std::filesystem::path folder;
  std::string name;  // last part of the path
  std::string verb;
  Json arguments = Json::object();
  Json environment = Json::object();
  std::optional<Json> summary;  // nothing: not evaluated
  std::vector<files::MetricsRecord> metrics;
  std::vector<ClassRecord> classes;  // known ones first; empty where nobody knows classes
  std::vector<GroupRecord> groups;   // by number
  std::vector<RowRecord> rows;

  /// The value of a setting; null if it is not recorded.
  Json setting(const std::string& key) const;
  const GroupRecord* group(std::int32_t number) const;
};

/// FormatError if there is no run or one of its files does not read.
RunRecord read_run_record(const std::filesystem::path& folder);

/// The points of one metric: over epochs, or over steps of the whole run. Numbers that are not finite
/// are left out.
enum class MetricAxis { epoch, step };
using Points = std::vector<std::pair<double, double>>;
Points metric_points(const RunRecord& run, const std::string& metric, MetricAxis axis);

}  // namespace opencd::cli::report
