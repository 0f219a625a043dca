#include "opencd/class_count.hpp"

#include "error.hpp"
#include "opencd/grouping/louvain.hpp"
#include "opencd/longest_run.hpp"
#include "opencd/match_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace opencd {

namespace {

constexpr double kLeastResolution = 1e-3;
// Standard errors below the best score up to which a number is taken, and is in the interval.
constexpr double kErrorsOfChoice = 0.5;
constexpr double kErrorsOfInterval = 2.0;

struct Candidate {
  double resolution = 0.0;
  Grouping grouping;
  std::size_t classes = 0;  // groups that have rows
  double score = 0.0;       // mean over the folds
  double deviation = 0.0;   // of that mean
  bool eligible = true;
};

std::size_t groups_with_rows(const Grouping& grouping, std::span<const std::int64_t> rows) {
  std::vector<bool> has_rows(grouping.groups, false);
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] > 0) has_rows[static_cast<std::size_t>(grouping.group_of[k])] = true;
  return static_cast<std::size_t>(std::count(has_rows.begin(), has_rows.end(), true));
}

struct ResolutionRange {
  double high = 1.0;
  double low = 1.0;
};

/// Above `high` no two prototypes gain by being together: 2m W[i][j] <= high d_i d_j. At `low` there
/// are as few groups as there can be.
ResolutionRange resolution_range(const AffinityMatrix& affinity, const ClassCountOptions& options) {
  std::vector<double> degrees(affinity.size());
  for (std::size_t i = 0; i < affinity.size(); ++i)
    degrees[i] = std::accumulate(affinity.row(i).begin(), affinity.row(i).end(), affinity.at(i, i));
  const double total = std::accumulate(degrees.begin(), degrees.end(), 0.0);
  ResolutionRange range;
  for (std::size_t i = 0; i < affinity.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (affinity.at(i, j) > 0.0)
        range.high = std::max(range.high, total * affinity.at(i, j) / (degrees[i] * degrees[j]));
  const auto groups_at = [&](double resolution) {
    return louvain(affinity, {.resolution = resolution, .seed = options.seed}).groups;
  };
  const std::size_t fewest = groups_at(kLeastResolution);
  while (range.low > kLeastResolution && groups_at(range.low) > fewest) range.low /= 2.0;
  return range;
}

/// From many groups to few.
std::vector<Candidate> sweep(const AffinityMatrix& affinity,
                             std::span<const std::int64_t> rows,
                             const ClassCountOptions& options) {
  const ResolutionRange range = resolution_range(affinity, options);
  std::vector<Candidate> candidates;
  for (int i = 0; i < options.candidates; ++i) {
    const double share = static_cast<double>(i) / std::max(1, options.candidates - 1);
    Candidate candidate;
    candidate.resolution = range.high * std::pow(range.low / range.high, share);
    candidate.grouping = louvain(
        affinity,
        {.resolution = candidate.resolution, .seed = options.seed, .starts = options.starts});
    candidate.classes = groups_with_rows(candidate.grouping, rows);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

/// The known classes that have labelled rows, and what the candidates make of them.
class HiddenClasses {
 public:
  HiddenClasses(const Contingency& labelled, int most_folds)
      : labelled_(labelled), rows_(labelled.rows_of_classes()) {
    for (std::size_t cls = 0; cls < labelled.classes; ++cls)
      if (rows_[cls] > 0) classes_.push_back(cls);
    folds_ = std::min(classes_.size(), static_cast<std::size_t>(most_folds));
  }

  std::size_t classes() const { return classes_.size(); }

  void score(Candidate& candidate) const {
    const Contingency table = count_by_group(candidate.grouping, labelled_);
    std::vector<double> scores(folds_);
    for (std::size_t fold = 0; fold < folds_; ++fold) scores[fold] = fold_score(table, fold);
    const auto count = static_cast<double>(folds_);
    candidate.score = std::accumulate(scores.begin(), scores.end(), 0.0) / count;
    double squares = 0.0;
    for (const double score : scores)
      squares += (score - candidate.score) * (score - candidate.score);
    candidate.deviation = folds_ < 2 ? 0.0 : std::sqrt(squares / (count * (count - 1.0)));
  }

  /// The standard error of a candidate's score: of its folds, and of the rows as coin throws, of
  /// which at least one might have fallen otherwise.
  double standard_error(const Candidate& candidate) const {
    const auto rows = static_cast<double>(labelled_.rows());
    const double variance = std::max(candidate.score * (1.0 - candidate.score), 1.0 / rows);
    return std::sqrt(candidate.deviation * candidate.deviation + variance / rows);
  }

 private:
  double fold_score(const Contingency& table, std::size_t fold) const {
    std::vector<std::size_t> kept;
    std::vector<std::size_t> hidden;
    for (std::size_t i = 0; i < classes_.size(); ++i)
      (i % folds_ == fold ? hidden : kept).push_back(classes_[i]);
    std::vector<bool> taken(table.groups, false);
    if (kept.empty()) return recall(table, hidden, taken);
    const double of_kept = recall(table, kept, taken);
    return 0.5 * (of_kept + recall(table, hidden, taken));
  }

  /// Mean over `classes` of the share of a class that is in the group matched to it, among the
  /// groups that are not taken; those become taken.
  double recall(const Contingency& table,
                const std::vector<std::size_t>& classes,
                std::vector<bool>& taken) const {
    Contingency part{table.groups, classes.size(), {}};
    for (std::size_t group = 0; group < table.groups; ++group)
      for (const std::size_t cls : classes)
        part.counts.push_back(taken[group] ? 0 : table.at(group, cls));
    const Assignment pairs = match(part);
    double sum = 0.0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (pairs.row_of_column[i] < 0) continue;
      const auto group = static_cast<std::size_t>(pairs.row_of_column[i]);
      if (part.at(group, i) == 0) continue;
      taken[group] = true;
      sum += static_cast<double>(part.at(group, i)) / static_cast<double>(rows_[classes[i]]);
    }
    return sum / static_cast<double>(classes.size());
  }

  const Contingency& labelled_;
  std::vector<std::int64_t> rows_;
  std::vector<std::size_t> classes_;
  std::size_t folds_ = 0;
};

/// Drops the eligible candidates that `worse` names, unless all would go.
template <class Predicate>
void drop(std::vector<Candidate>& candidates, Predicate worse) {
  const bool all = std::all_of(candidates.begin(), candidates.end(),
                               [&](const Candidate& c) { return !c.eligible || worse(c); });
  if (all) return;
  for (Candidate& candidate : candidates)
    if (worse(candidate)) candidate.eligible = false;
}

/// Drops the candidates whose score is more than `errors` standard errors below the best.
void keep_near_best(std::vector<Candidate>& candidates,
                    const HiddenClasses& hidden,
                    double errors) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates)
    if (candidate.eligible && (best == nullptr || candidate.score > best->score)) best = &candidate;
  const double bar = best->score - errors * hidden.standard_error(*best) - 1e-9;
  drop(candidates, [&](const Candidate& c) { return c.score < bar; });
}

void drop_coarse(std::vector<Candidate>& candidates) {
  drop(candidates, [](const Candidate& c) { return c.resolution < 1.0; });
}

std::optional<std::size_t> number_of(const Candidate& candidate) {
  return candidate.eligible ? std::optional(candidate.classes) : std::nullopt;
}

std::span<const Candidate> stable_run(const std::vector<Candidate>& candidates) {
  return longest_run(std::span<const Candidate>(candidates), number_of);
}

const Candidate& most_stable(const std::vector<Candidate>& candidates) {
  const auto run = stable_run(candidates);
  return run[run.size() / 2];
}

/// Without labels every candidate is as good; the interval is then made of those whose number holds
/// at least half as long as the longest.
void keep_stable(std::vector<Candidate>& candidates) {
  const std::size_t longest = stable_run(candidates).size();
  for (std::size_t begin = 0, end = 0; begin < candidates.size(); begin = end) {
    const auto number = number_of(candidates[begin]);
    while (end < candidates.size() && number_of(candidates[end]) == number) ++end;
    if (2 * (end - begin) >= longest) continue;
    for (std::size_t i = begin; i < end; ++i) candidates[i].eligible = false;
  }
}

ClassCount counted(const Candidate& chosen,
                   const std::vector<Candidate>& plausible,
                   ClassCountRule rule) {
  ClassCount result{chosen.classes,
                    chosen.classes,
                    chosen.classes,
                    chosen.grouping,
                    chosen.resolution,
                    chosen.score,
                    rule};
  for (const Candidate& candidate : plausible) {
    if (!candidate.eligible) continue;
    result.least = std::min(result.least, candidate.classes);
    result.most = std::max(result.most, candidate.classes);
  }
  return result;
}

ClassCount count_by_labels(std::vector<Candidate> candidates, const HiddenClasses& hidden) {
  for (Candidate& candidate : candidates) hidden.score(candidate);
  drop(candidates, [&](const Candidate& c) { return c.classes < hidden.classes(); });
  std::vector<Candidate> plausible = candidates;
  keep_near_best(plausible, hidden, kErrorsOfInterval);
  drop_coarse(plausible);
  keep_near_best(candidates, hidden, kErrorsOfChoice);
  drop_coarse(candidates);
  return counted(most_stable(candidates), plausible, ClassCountRule::hidden_classes);
}

ClassCount count_by_stability(std::vector<Candidate> candidates) {
  drop_coarse(candidates);
  drop(candidates, [](const Candidate& c) { return 2 * c.classes > c.grouping.prototypes(); });
  const Candidate chosen = most_stable(candidates);
  keep_stable(candidates);
  return counted(chosen, candidates, ClassCountRule::stability);
}

void check(const AffinityMatrix& affinity,
           const Contingency& labelled,
           std::size_t rows,
           const ClassCountOptions& options) {
  if (affinity.size() == 0) fail<ShapeError>("[class count] expected prototypes, got none");
  if (labelled.groups != affinity.size() || rows != affinity.size())
    fail<ShapeError>(
        "[class count] expected rows counted by {} prototypes, got {} and, labelled, {}",
        affinity.size(), rows, labelled.groups);
  if (options.candidates < 1 || options.folds < 1)
    fail<UsageError>("[class count] expected at least one candidate and fold, got {} and {}",
                     options.candidates, options.folds);
}

}  // namespace

ClassCount count_classes(const AffinityMatrix& affinity,
                         const Contingency& labelled,
                         std::span<const std::int64_t> rows_of_prototype,
                         const ClassCountOptions& options) {
  check(affinity, labelled, rows_of_prototype.size(), options);
  std::vector<Candidate> candidates = sweep(affinity, rows_of_prototype, options);
  const HiddenClasses hidden(labelled, options.folds);
  return hidden.classes() > 0 ? count_by_labels(std::move(candidates), hidden)
                              : count_by_stability(std::move(candidates));
}

}  // namespace opencd
