#include "cli/scoring.hpp"

#include "cli/output.hpp"
#include "opencd/row_choice.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <numeric>

namespace opencd::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kJudgedRows = 5000;  // labelled rows that an accuracy is told from

bool any_known(const std::vector<std::int32_t>& classes) {
  return std::any_of(classes.begin(), classes.end(), [](std::int32_t c) { return c >= 0; });
}

}  // namespace

ScoredRows scored_rows(const data::ImageSet& set, const data::OpenWorldSplit& split) {
  ScoredRows rows{.name = "unlabelled training rows",
                  .rows = split.unlabeled,
                  .labeled = split.labeled,
                  .train_classes = data::class_places(split, set.train.labels),
                  .test_classes = data::class_places(split, set.test.labels),
                  .known = split.known};
  for (const std::int32_t label : split.class_order)
    rows.classes.push_back(set.class_names[static_cast<std::size_t>(label)]);
  return rows;
}

ScoredRows scored_rows(const data::ImageSet& set,
                       std::vector<std::string> classes,
                       std::size_t known,
                       std::string name) {
  ScoredRows rows{.name = std::move(name), .classes = std::move(classes), .known = known};
  std::vector<std::int32_t> places;
  for (const std::string& label : set.class_names) {
    const auto found = std::find(rows.classes.begin(), rows.classes.end(), label);
    places.push_back(static_cast<std::int32_t>(found - rows.classes.begin()));
    if (found == rows.classes.end()) rows.classes.push_back(label);
  }
  const auto place = [&](std::int32_t label) {
    return label < 0 ? label : places[static_cast<std::size_t>(label)];
  };
  for (const std::int32_t label : set.train.labels) rows.train_classes.push_back(place(label));
  for (const std::int32_t label : set.test.labels) rows.test_classes.push_back(place(label));
  rows.rows.resize(set.train.size());
  std::iota(rows.rows.begin(), rows.rows.end(), 0U);
  return rows;
}

Scorer::Scorer(PredictionSource source, const data::ImageSet& set, ScoredRows rows)
    : source_(std::move(source)), set_(set), rows_(std::move(rows)) {
  for (const std::uint32_t row : rows_.rows) scored_classes_.push_back(rows_.train_classes[row]);
}

void Scorer::forget() {
  train_.clear();
  test_.clear();
  groups_.reset();
}

void Scorer::predict() {
  train_predictions();
  test_predictions();
  groups();
}

const GroupCount& Scorer::groups() {
  if (!groups_) groups_ = source_.groups();
  return *groups_;
}

const std::vector<Prediction>& Scorer::train_predictions() {
  if (train_.empty()) train_ = source_.train(rows_.rows);
  return train_;
}

const std::vector<Prediction>& Scorer::test_predictions() {
  if (test_.empty() && set_.test.size() != 0) test_ = source_.test();
  return test_;
}

std::optional<Evaluation> Scorer::score(const std::vector<Prediction>& predictions,
                                        const std::vector<std::int32_t>& classes,
                                        const std::string& name) {
  return evaluate(predictions, classes, rows_.known, rows_.classes.size(), groups(), name);
}

std::optional<Evaluation> Scorer::unlabeled() {
  if (!any_known(scored_classes_)) return std::nullopt;
  return score(train_predictions(), scored_classes_, rows_.name);
}

std::optional<Evaluation> Scorer::held_out() {
  if (!any_known(rows_.test_classes)) return std::nullopt;
  return score(test_predictions(), rows_.test_classes, "held-out test rows");
}

std::optional<Evaluation> Scorer::labelled() {
  if (rows_.labeled.empty()) return std::nullopt;
  std::vector<std::uint32_t> judged = evenly_spread(rows_.labeled.size(), kJudgedRows);
  std::vector<std::int32_t> classes;
  for (std::uint32_t& row : judged) {
    row = rows_.labeled[row];
    classes.push_back(rows_.train_classes[row]);
  }
  return score(source_.train(judged), classes, "labelled training rows");
}

Json Scorer::unscored_json() {
  return {{"rows", rows_.rows.size()},
          {"classes_found", groups().found},
          {"classes_interval", {groups().low, groups().high}},
          {"split", rows_.name}};
}

PredictedRows Scorer::predicted() {
  return {rows_.rows, set_.train.paths, scored_classes_, train_predictions()};
}

void report_scores(Scorer& scorer, const GroupNames& groups, const ScoreReport& report) {
  const Naming naming{scorer.rows().classes, scorer.rows().known, groups};
  const std::optional<Evaluation> evaluation = scorer.unlabeled();
  const std::optional<Evaluation> held_out = scorer.held_out();
  const PredictedRows predicted = scorer.predicted();
  Json summary = evaluation ? to_json(*evaluation) : scorer.unscored_json();
  summary.update(report.more);
  if (held_out) summary["test"] = to_json(*held_out);
  summary["groups"] = groups_json(predicted, naming);
  write_evaluation(report.folder, evaluation, summary, predicted, naming);
  if (!report.print) return;
  if (!evaluation)
    spdlog::info("nobody knows the classes of the {}, so there are no scores of them",
                 scorer.rows().name);
  if (report.json) {
    summary.update(report.more_json);
    print_json(summary);
    return;
  }
  if (evaluation) print_evaluation(*evaluation);
  if (held_out) print_evaluation(*held_out);
}

}  // namespace opencd::cli
