// What `train` ends with and `evaluate` is about: scores on the rows that training saw without labels
// and on held-out rows, and the files that keep them.
#pragma once

#include "cli/evaluation_files.hpp"
#include "data/open_world_split.hpp"

#include <functional>
#include <optional>
#include <span>

namespace opencd::cli {

/// Where predictions come from: a model in training or a trained one.
struct PredictionSource {
  std::function<std::vector<Prediction>(std::span<const std::uint32_t> rows)> train;
  std::function<std::vector<Prediction>()> test;  // all held-out rows
  std::function<GroupCount()> groups;
};

/// Which rows are scored and against which classes, as places in `classes`; negative: unknown.
struct ScoredRows {
  std::string name;                    // "unlabelled training rows"
  std::vector<std::uint32_t> rows;     // training rows to score
  std::vector<std::uint32_t> labeled;  // training rows whose classes the model was told
  std::vector<std::int32_t> train_classes;
  std::vector<std::int32_t> test_classes;
  std::vector<std::string> classes;  // names, known ones first
  std::size_t known = 0;
};

/// The rows of the set that a model was trained on.
ScoredRows scored_rows(const data::ImageSet& set, const data::OpenWorldSplit& split);
/// All rows of a set, whose classes are matched to `classes` by name; others follow as new ones.
ScoredRows scored_rows(const data::ImageSet& set,
                       std::vector<std::string> classes,
                       std::size_t known,
                       std::string name);

/// Predicts when first asked; `forget` when the model has changed. `set` must outlive it.
class Scorer {
 public:
  Scorer(PredictionSource source, const data::ImageSet& set, ScoredRows rows);

  const ScoredRows& rows() const { return rows_; }
  void forget();
  /// Predicts all that a report asks for; afterwards the source may be gone.
  void predict();
  /// Nothing where nobody knows a class.
  std::optional<Evaluation> unlabeled();
  std::optional<Evaluation> held_out();
  /// Of the rows that came with their label, or some thousand of them: what every user has. Nothing where there are none.
  std::optional<Evaluation> labelled();
  /// What summary.json says where there are no scores.
  nlohmann::ordered_json unscored_json();
  PredictedRows predicted();

 private:
  const std::vector<Prediction>& train_predictions();
  const std::vector<Prediction>& test_predictions();
  std::optional<Evaluation> score(const std::vector<Prediction>& predictions,
                                  const std::vector<std::int32_t>& classes,
                                  const std::string& name);
  const GroupCount& groups();

  PredictionSource source_;
  const data::ImageSet& set_;
  ScoredRows rows_;
  std::vector<std::int32_t> scored_classes_;
  std::vector<Prediction> train_;
  std::vector<Prediction> test_;
  std::optional<GroupCount> groups_;
};

/// How scores are told.
struct ScoreReport {
  std::filesystem::path folder;      // for the files
  nlohmann::ordered_json more;       // for summary.json
  nlohmann::ordered_json more_json;  // for stdout besides
  bool json = false;
  bool print = true;  // else only the files are written
};

/// Writes the files, summary.json last, and prints the tables or the JSON object.
void report_scores(Scorer& scorer, const GroupNames& groups, const ScoreReport& report);

}  // namespace opencd::cli
