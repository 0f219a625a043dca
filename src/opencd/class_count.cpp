#include "opencd/class_count.hpp"

#include "error.hpp"
#include "opencd/grouping/louvain.hpp"
#include "opencd/longest_run.hpp"
#include "opencd/match_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace opencd {

namespace {

constexpr double kLeastResolution = 1e-3;
// Standard errors below the best score up to which a number may be taken, and is in the interval.
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

/// The share of a class's rows that is labelled, from the prototypes where it is densest, those that
/// hold half of its labelled rows: elsewhere rows of other classes, which nobody has labelled, are
/// among its own. Where labels are few, the densest are so by chance; therefore one half of the
/// labelled rows, drawn at random, chooses the prototypes and the other half is counted there.
double labelled_share(const Contingency& labelled,
                      std::span<const std::int64_t> rows,
                      std::size_t cls,
                      std::uint32_t seed) {
  constexpr int kDraws = 16;
  std::mt19937 random(seed);
  double counted = 0.0;
  double all = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<std::int64_t> choosing(rows.size(), 0);
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (std::int64_t i = 0; i < labelled.at(k, cls); ++i) choosing[k] += random() >> 31;
    std::vector<std::size_t> prototypes;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (choosing[k] > 0) prototypes.push_back(k);
    const auto denser = [&](std::size_t a, std::size_t b) {
      return choosing[a] * rows[b] > choosing[b] * rows[a];
    };
    std::stable_sort(prototypes.begin(), prototypes.end(), denser);
    const std::int64_t total = std::accumulate(choosing.begin(), choosing.end(), std::int64_t{0});
    std::int64_t chosen = 0;
    for (const std::size_t k : prototypes) {
      chosen += choosing[k];
      counted += 2.0 * static_cast<double>(labelled.at(k, cls) - choosing[k]);
      all += static_cast<double>(rows[k]);
      if (2 * chosen >= total) break;
    }
  }
  // A class with a label or two may leave nothing to count.
  return counted > 0.0 ? std::min(1.0, counted / all) : 1.0;
}

/// The known classes that have labelled rows, and what the candidates make of them.
class HiddenClasses {
 public:
  HiddenClasses(const Contingency& labelled,
                std::span<const std::int64_t> rows,
                const ClassCountOptions& options)
      : labelled_(labelled), rows_(rows), shares_(labelled.classes), sizes_(labelled.classes) {
    const std::vector<std::int64_t> counts = labelled.rows_of_classes();
    for (std::size_t cls = 0; cls < labelled.classes; ++cls) {
      if (counts[cls] == 0) continue;
      classes_.push_back(cls);
      shares_[cls] = labelled_share(labelled, rows, cls, options.seed);
      sizes_[cls] = static_cast<double>(counts[cls]) / shares_[cls];
    }
    folds_ = std::min(classes_.size(), static_cast<std::size_t>(options.folds));
  }

  std::size_t classes() const { return classes_.size(); }

  void score(Candidate& candidate) const {
    const Agreement agreement = agreement_of(candidate.grouping);
    std::vector<double> scores(folds_);
    for (std::size_t fold = 0; fold < folds_; ++fold) scores[fold] = fold_score(agreement, fold);
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
  /// The F-measure of every group and class: 2 |both| / (|group| + |class|).
  struct Agreement {
    std::size_t groups;
    std::size_t classes;
    std::vector<double> values;

    double at(std::size_t group, std::size_t cls) const { return values[group * classes + cls]; }
  };

  Agreement agreement_of(const Grouping& grouping) const {
    const Contingency table = count_by_group(grouping, labelled_);
    std::vector<double> rows(table.groups, 0.0);
    for (std::size_t k = 0; k < rows_.size(); ++k)
      rows[static_cast<std::size_t>(grouping.group_of[k])] += static_cast<double>(rows_[k]);
    Agreement agreement{table.groups, table.classes, {}};
    agreement.values.resize(table.groups * table.classes, 0.0);
    for (std::size_t group = 0; group < table.groups; ++group)
      for (const std::size_t cls : classes_) {
        const double both =
            std::min(rows[group], static_cast<double>(table.at(group, cls)) / shares_[cls]);
        agreement.values[group * table.classes + cls] = 2.0 * both / (rows[group] + sizes_[cls]);
      }
    return agreement;
  }

  double fold_score(const Agreement& agreement, std::size_t fold) const {
    std::vector<std::size_t> kept;
    std::vector<std::size_t> hidden;
    for (std::size_t i = 0; i < classes_.size(); ++i)
      (i % folds_ == fold ? hidden : kept).push_back(classes_[i]);
    std::vector<bool> taken(agreement.groups, false);
    if (kept.empty()) return matched(agreement, hidden, taken);
    const double of_kept = matched(agreement, kept, taken);
    return 0.5 * (of_kept + matched(agreement, hidden, taken));
  }

  /// Mean agreement of `classes`, each with a group of its own among those that are not taken; the
  /// groups become taken.
  static double matched(const Agreement& agreement,
                        const std::vector<std::size_t>& classes,
                        std::vector<bool>& taken) {
    std::vector<double> values;
    for (std::size_t group = 0; group < agreement.groups; ++group)
      for (const std::size_t cls : classes)
        values.push_back(taken[group] ? 0.0 : agreement.at(group, cls));
    const Assignment pairs =
        assign({values, agreement.groups, classes.size()}, Objective::maximise);
    double sum = 0.0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (pairs.row_of_column[i] < 0) continue;
      const auto group = static_cast<std::size_t>(pairs.row_of_column[i]);
      if (taken[group]) continue;
      const double value = agreement.at(group, classes[i]);
      if (value == 0.0) continue;
      taken[group] = true;
      sum += value;
    }
    return sum / static_cast<double>(classes.size());
  }

  const Contingency& labelled_;
  std::span<const std::int64_t> rows_;  // of every prototype
  std::vector<double> shares_;          // of the rows of a class that is labelled
  std::vector<double> sizes_;           // rows of a class, with and without labels
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

/// Of the eligible candidates with the fewest classes that with the best score.
const Candidate& simplest(const std::vector<Candidate>& candidates) {
  const Candidate* result = nullptr;
  for (const Candidate& c : candidates) {
    if (!c.eligible) continue;
    if (result == nullptr || c.classes < result->classes ||
        (c.classes == result->classes && c.score > result->score))
      result = &c;
  }
  return *result;
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
  return counted(simplest(candidates), plausible, ClassCountRule::hidden_classes);
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
           std::span<const std::int64_t> rows,
           const ClassCountOptions& options) {
  if (affinity.size() == 0) fail<ShapeError>("[class count] expected prototypes, got none");
  if (labelled.groups != affinity.size() || rows.size() != affinity.size())
    fail<ShapeError>(
        "[class count] expected rows counted by {} prototypes, got {} and, labelled, {}",
        affinity.size(), rows.size(), labelled.groups);
  const std::vector<std::int64_t> with_label = labelled.rows_of_groups();
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (with_label[k] > rows[k])
      fail<ShapeError>("[class count] expected {} labelled rows or more at prototype {}, got {}",
                       with_label[k], k, rows[k]);
  if (options.candidates < 1 || options.folds < 1)
    fail<UsageError>("[class count] expected at least one candidate and fold, got {} and {}",
                     options.candidates, options.folds);
}

}  // namespace

ClassCount count_classes(const AffinityMatrix& affinity,
                         const Contingency& labelled,
                         std::span<const std::int64_t> rows_of_prototype,
                         const ClassCountOptions& options) {
  check(affinity, labelled, rows_of_prototype, options);
  std::vector<Candidate> candidates = sweep(affinity, rows_of_prototype, options);
  const HiddenClasses hidden(labelled, rows_of_prototype, options);
  return hidden.classes() > 0 ? count_by_labels(std::move(candidates), hidden)
                              : count_by_stability(std::move(candidates));
}

}  // namespace opencd
