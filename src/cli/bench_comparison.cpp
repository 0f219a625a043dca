#include "cli/bench_comparison.hpp"

#include "cli/output.hpp"
#include "error.hpp"

#include <fmt/format.h>

namespace opencd::cli {

namespace {

/// Two results are of the same case whatever the order of their parameters.
bool same_case(const Json& a, const Json& b) {
  return a.at("name") == b.at("name") &&
         nlohmann::json(a.at("params")) == nlohmann::json(b.at("params"));
}

const Json* find_case(const Json& record, const Json& wanted) {
  for (const Json& result : record.at("results"))
    if (same_case(result, wanted)) return &result;
  return nullptr;
}

std::optional<double> median_of(const Json& result) {
  if (result.at("check") != "passed") return std::nullopt;
  return result.at("median_ms").get<double>();
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::string or_dash(const std::optional<double>& value) {
  return value ? three_digits(*value) : "-";
}

}  // namespace

std::optional<double> ComparedResult::ratio(std::size_t i) const {
  if (!median_ms[0] || !median_ms[i] || *median_ms[i] <= 0.0) return std::nullopt;
  return *median_ms[0] / *median_ms[i];
}

void check_record(const Json& record, const std::string& file) {
  try {
    for (const Json& result : record.at("results")) {
      median_of(result);
      if (!result.at("name").is_string() || !result.at("params").is_object())
        fail<FormatError>("[bench] {}: a result without name and params", printable(file));
    }
  } catch (const Json::exception& error) {
    fail<FormatError>(
        "[bench] {} is no record of one device that `bench --json` wrote: {}; make one with "
        "`opencd_sycl bench ops --json > {}`",
        printable(file), error.what(), printable(file));
  }
}

std::vector<ComparedResult> compare_records(std::span<const Json> records) {
  std::vector<ComparedResult> compared;
  for (const Json& result : records.front().at("results")) {
    ComparedResult found{result.at("name"), result.at("params"), {}};
    for (const Json& record : records)
      if (const Json* same = find_case(record, result)) found.median_ms.push_back(median_of(*same));
    if (found.median_ms.size() == records.size()) compared.push_back(std::move(found));
  }
  return compared;
}

Json to_json(const std::vector<std::string>& names, const std::vector<ComparedResult>& results) {
  Json list = Json::array();
  for (const ComparedResult& result : results) {
    Json entry = {{"name", result.name}, {"params", result.params}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      entry["median_ms"].push_back(or_null(result.median_ms[i]));
      entry["ratio"].push_back(or_null(result.ratio(i)));
    }
    list.push_back(std::move(entry));
  }
  return {{"compared", names}, {"results", list}};
}

void print_comparison(const std::vector<std::string>& names,
                      const std::vector<ComparedResult>& results) {
  std::vector<std::string> header = {"test", "size"};
  for (const std::string& name : names) header.push_back(printable(name) + ", ms");
  for (std::size_t i = 1; i < names.size(); ++i) header.emplace_back("times as fast");
  std::vector<std::vector<std::string>> rows;
  for (const ComparedResult& result : results) {
    std::vector<std::string> row = {result.name, describe(result.params)};
    for (const std::optional<double>& time : result.median_ms) row.push_back(or_dash(time));
    for (std::size_t i = 1; i < names.size(); ++i) row.push_back(or_dash(result.ratio(i)));
    rows.push_back(std::move(row));
  }
  print_table(header, rows);
}

std::string three_digits(double value) {
  return value >= 100.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string describe(const Json& params) {
  std::string text;
  for (const auto& [key, value] : params.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value.dump());
  return text;
}

}  // namespace opencd::cli
