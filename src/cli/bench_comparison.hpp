// Records of `bench --json` beside each other: the same case on two devices, or before and after a
// change.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opencd::cli {

using Json = nlohmann::ordered_json;

/// A case that every record has.
struct ComparedResult {
  std::string name;
  Json params;
  std::vector<std::optional<double>> median_ms;  // of every record; none: its check failed there

  /// How many times as fast record `i` is as the first.
  std::optional<double> ratio(std::size_t i) const;
};

/// FormatError that names `file` unless `record` is one of `bench --json` for one device.
void check_record(const Json& record, const std::string& file);

/// The cases that all records have, in the order of the first; a case is known by name and params.
std::vector<ComparedResult> compare_records(std::span<const Json> records);

/// `names` are those of the records.
Json to_json(const std::vector<std::string>& names, const std::vector<ComparedResult>& results);
void print_comparison(const std::vector<std::string>& names,
                      const std::vector<ComparedResult>& results);

/// A measured number for people, with three digits or all before the point.
std::string three_digits(double value);
/// "key=value key=value", for people.
std::string describe(const Json& params);

}  // namespace opencd::cli
