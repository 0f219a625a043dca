#include "cli/compare/record.hpp"

#include "error.hpp"
#include "files/printable.hpp"
#include "files/strict_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace opencd::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "opencd_sycl comparison 1";
constexpr std::size_t kLongest = 4000;  // of a text in it

std::string commit_of(const Provenance& made) {
  return made.commit.empty() ? "an unknown version"
                             : fmt::format("opencd_sycl {} (commit {})", made.version, made.commit);
}

std::string machine_of(const Provenance& made) {
  if (made.cpu.empty()) return "an unknown machine";
  const std::string host =
      fmt::format("{}, {} core{}", made.cpu, made.cores, made.cores == 1 ? "" : "s");
  // A CPU as a device has its own name.
  const bool is_host = made.device.empty() || made.device.find(made.cpu) != std::string::npos ||
                       made.cpu.find(made.device) != std::string::npos;
  return is_host ? host : fmt::format("{} on {}", made.device, host);
}

/// The runs of a table that are done, by something that should be the same for all; in order of first
/// appearance.
using Shares = std::vector<std::pair<std::string, std::vector<std::string>>>;

Shares shares_of(const std::vector<const RecordedRun*>& runs,
                 const std::function<std::string(const Provenance&)>& of) {
  Shares shares;
  for (const RecordedRun* run : runs) {
    const std::string what = of(run->made);
    auto found = std::find_if(shares.begin(), shares.end(),
                              [&](const auto& share) { return share.first == what; });
    if (found == shares.end()) found = shares.insert(found, {what, {}});
    found->second.push_back(run->name);
  }
  return shares;
}

std::string listed(const Shares& shares) {
  std::string text;
  for (const auto& [what, runs] : shares)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", what, fmt::join(runs, ", "));
  return text;
}

/// Whether rows may be compared, or why not.
std::vector<std::string> provenance_notes(const std::vector<const RecordedRun*>& runs) {
  if (runs.empty()) return {};
  const Shares commits = shares_of(runs, commit_of), machines = shares_of(runs, machine_of);
  if (commits.size() == 1 && machines.size() == 1)
    return {fmt::format("All runs: {}; {}.", commits[0].first, machines[0].first)};
  std::vector<std::string> notes;
  if (commits.size() > 1)
    notes.push_back(fmt::format("NOT ALL OF ONE COMMIT: {}.", listed(commits)));
  if (machines.size() > 1)
    notes.push_back(fmt::format("NOT ALL OF ONE MACHINE: {}.", listed(machines)));
  return notes;
}

Json to_json(const RecordedRun& run) {
  Json json = {{"run", run.name},  {"state", run.state},   {"method", run.method},
               {"seed", run.seed}, {"preset", run.preset}, {"seconds", run.seconds}};
  if (!run.failure.empty()) json["failure"] = run.failure;
  if (const auto& s = run.scores; s)
    json.update({{"known", s->known},
                 {"novel", s->novel},
                 {"all", s->all},
                 {"nmi", s->nmi},
                 {"classes_found", s->classes}});
  if (run.state != "done") return json;
  json.update({{"epochs", run.epochs},
               {"version", run.made.version},
               {"commit", run.made.commit},
               {"cpu", run.made.cpu},
               {"cores", run.made.cores},
               {"device", run.made.device},
               {"command", run.command},
               {"settings", run.settings}});
  return json;
}

/// As it may be shown: the file may be anybody's.
std::string text_in(const Json& json) {
  return files::printable(json.get<std::string>(), kLongest);
}

std::vector<std::string> texts_in(const Json& json) {
  std::vector<std::string> texts;
  for (const Json& entry : json) texts.push_back(text_in(entry));
  return texts;
}

RecordedRun run_from(const Json& json) {
  RecordedRun run{.name = text_in(json.at("run")),
                  .state = text_in(json.at("state")),
                  .method = text_in(json.at("method")),
                  .seed = json.at("seed").get<std::uint32_t>(),
                  .preset = text_in(json.at("preset")),
                  .failure = files::printable(json.value("failure", ""), kLongest)};
  if (json.contains("all"))
    run.scores = {json.at("known").get<double>(), json.at("novel").get<double>(),
                  json.at("all").get<double>(), json.at("nmi").get<double>(),
                  json.at("classes_found").get<double>()};
  run.seconds = json.at("seconds").get<double>();
  if (run.state != "done") return run;
  run.epochs = json.at("epochs").get<std::int64_t>();
  run.made = {.version = text_in(json.at("version")),
              .commit = text_in(json.at("commit")),
              .cpu = text_in(json.at("cpu")),
              .cores = json.at("cores").get<int>(),
              .device = text_in(json.at("device"))};
  run.command = text_in(json.at("command"));
  run.settings = json.at("settings");
  return run;
}

Json to_json(const TableOfRuns& table) {
  Json columns = Json::array(), rows = Json::array();
  for (const ScoreColumn& column : table.table.columns) columns.push_back(column.name);
  for (std::size_t i = 0; i < table.table.rows.size(); ++i) {
    const ScoreRow& row = table.table.rows[i];
    Json entry = {{"names", row.names},
                  {"known", row.rule == KnownRule::named ? "named" : "matched"},
                  {"runs", table.runs[i]}};
    if (!row.published.empty()) entry["published"] = row.published;
    rows.push_back(std::move(entry));
  }
  return {{"file", table.table.file + ".csv"}, {"title", table.table.title},
          {"headers", table.table.headers},    {"columns", columns},
          {"is_sweep", table.table.is_sweep},  {"rows", rows}};
}

ScoreColumn column_called(const std::string& name) {
  for (const std::vector<ScoreColumn>& columns : {accuracy_columns(), count_columns()})
    for (const ScoreColumn& column : columns)
      if (column.name == name) return column;
  fail<FormatError>("there is no column {}", files::printable(name));
}

TableOfRuns table_from(const Json& json) {
  TableOfRuns table;
  const auto file = text_in(json.at("file"));
  table.table.file = file.substr(0, file.rfind(".csv"));
  table.table.title = text_in(json.at("title"));
  table.table.headers = texts_in(json.at("headers"));
  table.table.is_sweep = json.at("is_sweep").get<bool>();
  for (const Json& name : json.at("columns"))
    table.table.columns.push_back(column_called(text_in(name)));
  for (const Json& entry : json.at("rows")) {
    ScoreRow row{.names = texts_in(entry.at("names"))};
    row.rule = entry.at("known") == "matched" ? KnownRule::matched : KnownRule::named;
    row.published = texts_in(entry.value("published", Json::array()));
    if (row.names.size() != table.table.headers.size() ||
        (!row.published.empty() && row.published.size() != table.table.columns.size()))
      fail<FormatError>("a row of {} has too few or too many cells", files::printable(file));
    table.table.rows.push_back(std::move(row));
    table.runs.push_back(texts_in(entry.at("runs")));
  }
  return table;
}

ComparisonRecord record_from(const Json& json) {
  if (json.value("format", "") != kFormat)
    fail<FormatError>("expected \"format\": \"{}\"", kFormat);
  ComparisonRecord record{.data = text_in(json.at("data")),
                          .data_hash = text_in(json.at("data_hash")),
                          .rows = json.at("rows").get<std::size_t>(),
                          .classes = json.at("classes").get<std::size_t>(),
                          .known = json.at("known").get<std::size_t>(),
                          .labeled_ratio = json.at("labeled_ratio").get<double>(),
                          .command = text_in(json.at("command"))};
  for (const Json& run : json.at("runs")) record.runs.push_back(run_from(run));
  for (const Json& table : json.at("tables")) record.tables.push_back(table_from(table));
  return record;
}

std::string dumped(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Provenance read_provenance(const std::filesystem::path& run) {
  const std::filesystem::path file = run / "env.json";
  if (!std::filesystem::exists(file)) return {};
  const Json environment = files::read_json_file(file);
  try {
    return {.version = environment.at("version").get<std::string>(),
            .commit = environment.at("commit").get<std::string>(),
            .cpu = environment.at("cpu").get<std::string>(),
            .cores = environment.at("threads").get<int>(),
            .device = environment.at("device").at("name").get<std::string>()};
  } catch (const Json::exception&) {
    return {};  // of a version that wrote something else
  }
}

const RecordedRun* ComparisonRecord::run(const std::string& name) const {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const RecordedRun& run) { return run.name == name; });
  return found == runs.end() ? nullptr : &*found;
}

std::vector<ScoreTable> filled_tables(const ComparisonRecord& record) {
  std::vector<ScoreTable> tables;
  for (const TableOfRuns& planned : record.tables) {
    ScoreTable table = planned.table;
    std::vector<const RecordedRun*> done;
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      for (const std::string& name : planned.runs[i]) {
        const RecordedRun* run = record.run(name);
        if (!run || !run->scores) {
          ++table.rows[i].missing;
          continue;
        }
        table.rows[i].runs.push_back(*run->scores);
        done.push_back(run);
      }
    table.notes = provenance_notes(done);
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string to_markdown(const ComparisonRecord& record) {
  std::string text = fmt::format("# Comparison on {}\n", record.data);
  for (const ScoreTable& table : filled_tables(record)) text += "\n" + to_markdown(table);
  return text;
}

Json to_json(const ComparisonRecord& record) {
  Json runs = Json::array(), tables = Json::array();
  for (const RecordedRun& run : record.runs) runs.push_back(to_json(run));
  for (const TableOfRuns& table : record.tables) tables.push_back(to_json(table));
  return {{"format", kFormat},
          {"data", record.data},
          {"data_hash", record.data_hash},
          {"rows", record.rows},
          {"classes", record.classes},
          {"known", record.known},
          {"labeled_ratio", record.labeled_ratio},
          {"command", record.command},
          {"runs", runs},
          {"tables", tables}};
}

std::string to_text(const ComparisonRecord& record) {
  const Json json = to_json(record);
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{}\n  {}: ", text.size() == 1 ? "" : ",", dumped(key));
    if (!value.is_array()) {
      text += dumped(value);
      continue;
    }
    text += '[';
    for (const Json& entry : value)
      text += fmt::format("{}\n    {}", &entry == &value.front() ? "" : ",", dumped(entry));
    text += "\n  ]";
  }
  return text + "\n}\n";
}

ComparisonRecord read_comparison(const std::filesystem::path& file) {
  const std::string name = files::printable(file.string());
  const Json json = files::read_json_file(file);
  try {
    return record_from(json);
  } catch (const Json::exception& error) {
    fail<FormatError>("[compare] {}: not the runs.json of a comparison: {}", name, error.what());
  } catch (const FormatError& error) {
    fail<FormatError>("[compare] {}: not the runs.json of a comparison: {}", name, error.what());
  }
}

}  // namespace opencd::cli
