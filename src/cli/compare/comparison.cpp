#include "cli/compare/comparison.hpp"

#include "cli/compare/count_run.hpp"
#include "cli/compare/page.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/strict_json.hpp"
#include "opencd/methods/registry.hpp"

#include <spdlog/spdlog.h>

#include <chrono>

namespace opencd::cli {

Comparison::Comparison(const CompareOptions& options,
                       ComparisonPlan plan,
                       const data::ImageSet& set)
    : options_(options), plan_(std::move(plan)), set_(set) {
  for (PlannedRun& run : plan_.runs) {
    run.options.run.out = (folder() / run.name).string();
    run.options.run.resume = "auto";
  }
  for (const PlannedRun& run : plan_.runs) {  // wrong numbers show before any run
    const data::OpenWorldSplit& split = split_of(run);
    if (run.counter.empty())
      check_class_number(run.options.method.method, split.known,
                         parse_classes(run.options.method.classes));
  }
}

Comparison::~Comparison() = default;

const data::OpenWorldSplit& Comparison::split_of(const PlannedRun& run) {
  // All that variants change.
  const std::string key =
      fmt::format("{} {}", run.options.split.known, run.options.split.labeled_ratio);
  const auto found = splits_.find(key);
  if (found != splits_.end()) return found->second;
  return splits_.emplace(key, open_split(run.options.split, set_)).first->second;
}

std::optional<Json> Comparison::finished_summary(const PlannedRun& run) {
  const std::filesystem::path path = folder() / run.name;
  if (!std::filesystem::exists(path / "eval" / "summary.json")) return std::nullopt;
  const data::OpenWorldSplit& split = split_of(run);
  Json settings;
  std::int64_t epochs = 0;
  if (run.counter.empty()) {
    const PlannedTraining plan = plan_training(run.options, set_, split);
    settings = plan.key_settings;
    epochs = plan.config.epochs;
  } else {
    settings = count_settings(run, options_.counting, set_, split);
  }
  const Json summary = files::read_json_file(path / "eval" / "summary.json");
  const bool same =
      has_key_settings(path, settings) && summary.value("epochs", std::int64_t{-1}) == epochs;
  return same ? std::optional(summary) : std::nullopt;
}

double Comparison::mean_seconds() const {
  return runs_here_ == 0 ? 0.0 : seconds_here_ / static_cast<double>(runs_here_);
}

void Comparison::keep(const PlannedRun& run, const Json& summary) {
  outcomes_[run.name] = {"done", read_scores(summary, run.rule), summary.value("seconds", 0.0), ""};
}

TrainedRun Comparison::execute(const PlannedRun& run,
                               const nn::Engine& engine,
                               const RunPlace& place) {
  const data::OpenWorldSplit& split = split_of(run);
  if (run.counter.empty())
    return train_run(run.options, set_, split, engine, {.place = place, .print = false});
  if (!features_)
    features_ = std::make_unique<BackboneFeatures>(engine, set_, split, options_.train);
  return count_run(run, options_.counting, *features_, set_, split, engine);
}

void Comparison::attempt(const PlannedRun& run,
                         const nn::Engine& engine,
                         const RunPlace& place,
                         int& code) {
  const auto start = std::chrono::steady_clock::now();
  try {
    if (const std::optional<Json> summary = finished_summary(run)) {
      spdlog::info("{}: was done before", place.label);
      keep(run, *summary);
      return;
    }
    spdlog::info("{}", place.label);
    const TrainedRun trained = execute(run, engine, place);
    code = trained.exit_code;
    outcomes_[run.name] = {"unfinished", std::nullopt, 0.0, ""};
    if (!trained.finished) return;
    keep(run, files::read_json_file(trained.folder / "eval" / "summary.json"));
    seconds_here_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++runs_here_;
  } catch (const Error& error) {
    spdlog::error("{} failed: {}", place.label, printable(error.what()));
    outcomes_[run.name] = {"failed", std::nullopt, 0.0, error.what()};
    if (!first_failure_) first_failure_ = std::current_exception();
  }
}

int Comparison::run(const nn::Engine& engine) {
  int code = 0;
  const std::size_t count = plan_.runs.size();
  std::filesystem::create_directories(folder());
  for (std::size_t i = 0; i < count && code == 0; ++i) {
    const RunPlace place{fmt::format("run {}/{} {}", i + 1, count, plan_.runs[i].name),
                         static_cast<std::int64_t>(count - i - 1), mean_seconds()};
    attempt(plan_.runs[i], engine, place, code);
    write_tables();
  }
  write_page();
  if (code != 0) spdlog::info("stopped; the same command goes on");
  return code;
}

std::vector<ScoreTable> Comparison::filled_tables() const {
  std::vector<ScoreTable> tables;
  for (const PlannedTable& planned : plan_.tables) {
    ScoreTable table = planned.table;
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      for (const std::string& name : planned.runs[i]) {
        const auto found = outcomes_.find(name);
        if (found != outcomes_.end() && found->second.scores)
          table.rows[i].runs.push_back(*found->second.scores);
        else
          ++table.rows[i].missing;
      }
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string Comparison::markdown() const {
  std::string text = fmt::format("# Comparison on {}\n", set_.name);
  for (const ScoreTable& table : filled_tables()) text += "\n" + to_markdown(table);
  return text;
}

void Comparison::write_tables() const {
  for (const ScoreTable& table : filled_tables())
    files::write_file(folder() / (table.file + ".csv"), to_csv(table));
  files::write_file(folder() / "tables.md", markdown());
  files::write_file(folder() / "runs.json", to_json().dump(2) + "\n");
}

void Comparison::write_page() const {
  std::vector<report::RunRecord> records;
  for (const PlannedRun& run : plan_.runs) {
    const auto found = outcomes_.find(run.name);
    if (found != outcomes_.end() && found->second.state == "done")
      records.push_back(report::read_run_record(folder() / run.name));
  }
  files::write_file(folder() / "comparison.html",
                    report::to_html(comparison_page(set_.name, filled_tables(), records)));
}

nlohmann::ordered_json Comparison::to_json() const {
  Json runs = Json::array();
  for (const PlannedRun& run : plan_.runs) {
    const auto found = outcomes_.find(run.name);
    Json entry = {{"run", run.name}, {"state", "waiting"}};
    if (found != outcomes_.end()) {
      const Outcome& outcome = found->second;
      entry["state"] = outcome.state;
      entry["seconds"] = outcome.seconds;
      if (!outcome.failure.empty()) entry["failure"] = outcome.failure;
      if (const auto& s = outcome.scores; s)
        entry.update({{"known", s->known},
                      {"novel", s->novel},
                      {"all", s->all},
                      {"nmi", s->nmi},
                      {"classes_found", s->classes}});
    }
    runs.push_back(std::move(entry));
  }
  Json tables = Json::array();
  for (const PlannedTable& planned : plan_.tables) tables.push_back(planned.table.file + ".csv");
  return {{"folder", folder().string()}, {"data", set_.name}, {"runs", runs}, {"tables", tables}};
}

void Comparison::rethrow_first_failure() const {
  if (first_failure_) std::rethrow_exception(first_failure_);
}

}  // namespace opencd::cli
