// The numbers of a run as it goes, in three files that say the same:
//   metrics.jsonl             {"step":12,"epoch":1,"train/loss":0.5}      a line a record
//   metrics.csv               step,epoch and the declared columns         empty where a record has none
//   events.out.tfevents.*     for TensorBoard
// All are only ever appended to. Opened to resume, they are cut back to the records up to a step: a
// crash may have left later ones, or a piece of one.
#pragma once

#include "files/append_file.hpp"
#include "files/event_file.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opencd::files {

struct MetricsRecord {
  std::int64_t step = 0;  // counted over the whole run
  std::int64_t epoch = 0;
  std::vector<std::pair<std::string, double>> values;  // "train/loss", "val/all"
};

struct MetricsOptions {
  std::vector<std::string> columns;  // every name that a record may use, in the order of the CSV
  std::int64_t resume_step = -1;     // records after it are cut; -1: all of them
  /// How many of the records up to that step stay; nothing: all. A step may have records of before and after a pause.
  std::optional<std::int64_t> resume_records;
  std::function<double()> clock;  // seconds since 1970, for TensorBoard; by default the system's
};

class MetricsLog {
 public:
  /// Opens the three files in `folder`, which must exist, or makes them. Throws FormatError if one
  /// cannot be written or metrics.csv has other columns.
  MetricsLog(const std::filesystem::path& folder, MetricsOptions options);

  /// Numbers that are not finite become null in JSON, nan or inf elsewhere. Throws ShapeError for a
  /// name that is no column, FormatError if a file cannot be written.
  void add(const MetricsRecord& record);

  /// How many there are, with those that were there before.
  std::int64_t records() const { return records_; }

  /// Brings all records to the disk. To be called before a checkpoint that counts on them is saved.
  void sync();

 private:
  MetricsOptions options_;
  AppendFile json_lines_;
  AppendFile csv_;
  EventFile events_;
  std::int64_t records_;
};

}  // namespace opencd::files
