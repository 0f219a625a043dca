#include "opencd/class_count.hpp"

#include "error.hpp"
#include "opencd/grouping/louvain.hpp"
#include "opencd/match_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace opencd {

namespace {

constexpr double kLeastResolution = 1e-3;
constexpr double kErrorsOfWeight = 2.0;  // that take a vote down to a share of 1/e
// Share of the votes below the count. A bit less than half: a class in two groups loses the smaller
// half, two small classes in one group lose less.
constexpr double kBelow = 0.35;
constexpr double kOutside = 0.05;  // share of the votes on either side of the interval

struct Candidate {
  double resolution = 0.0;
  Grouping grouping;
  std::size_t classes = 0;  // groups that have rows
  double score = 0.0;       // mean over the folds
  bool eligible = true;
};

/// Of one set of prototypes, from many groups to few.
using Candidates = std::vector<Candidate>;

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

Candidates sweep(const PrototypeEvidence& evidence, const ClassCountOptions& options) {
  const ResolutionRange range = resolution_range(evidence.affinity, options);
  Candidates candidates;
  for (int i = 0; i < options.candidates; ++i) {
    const double share = static_cast<double>(i) / std::max(1, options.candidates - 1);
    Candidate candidate;
    candidate.resolution = range.high * std::pow(range.low / range.high, share);
    candidate.grouping = louvain(
        evidence.affinity,
        {.resolution = candidate.resolution, .seed = options.seed, .starts = options.starts});
    candidate.classes = groups_with_rows(candidate.grouping, evidence.rows);
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

  double score(const Grouping& grouping) const {
    const Contingency table = count_by_group(grouping, labelled_);
    double sum = 0.0;
    for (std::size_t fold = 0; fold < folds_; ++fold) sum += fold_score(table, fold);
    return sum / static_cast<double>(folds_);
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

void drop_coarse(Candidates& candidates) {
  drop(candidates, [](const Candidate& c) { return c.resolution < 1.0; });
}

/// The mean score of every number of groups that a set has candidates of.
std::map<std::size_t, double> scores_by_number(const Candidates& candidates) {
  std::map<std::size_t, double> sums;
  std::map<std::size_t, double> counts;
  for (const Candidate& candidate : candidates) {
    if (!candidate.eligible) continue;
    sums[candidate.classes] += candidate.score;
    counts[candidate.classes] += 1.0;
  }
  for (auto& [number, score] : sums) score /= counts[number];
  return sums;
}

/// Between the numbers that there are, a straight line; beyond them the nearest one's score.
double interpolate(const std::map<std::size_t, double>& scores, std::size_t number) {
  const auto above = scores.lower_bound(number);
  if (above == scores.end()) return scores.rbegin()->second;
  if (above->first == number || above == scores.begin()) return above->second;
  const auto below = std::prev(above);
  const double share =
      static_cast<double>(number - below->first) / static_cast<double>(above->first - below->first);
  return below->second + share * (above->second - below->second);
}

struct PooledScore {
  double mean = 0.0;
  double variance = 0.0;  // of that mean, over the sets
};

/// Of every number that any set has candidates of, over all sets.
std::map<std::size_t, PooledScore> pool_scores(const std::vector<Candidates>& sets) {
  std::vector<std::map<std::size_t, double>> of_sets;
  std::set<std::size_t> numbers;
  for (const Candidates& candidates : sets) {
    of_sets.push_back(scores_by_number(candidates));
    for (const auto& [number, unused] : of_sets.back()) numbers.insert(number);
  }
  const auto count = static_cast<double>(sets.size());
  std::map<std::size_t, PooledScore> pooled;
  for (const std::size_t number : numbers) {
    PooledScore& score = pooled[number];
    for (const auto& scores : of_sets) score.mean += interpolate(scores, number) / count;
    if (sets.size() < 2) continue;
    for (const auto& scores : of_sets) {
      const double difference = interpolate(scores, number) - score.mean;
      score.variance += difference * difference / (count * (count - 1.0));
    }
  }
  return pooled;
}

/// Weights of numbers of classes.
class Votes {
 public:
  void add(std::size_t number, double weight) {
    votes_[number] += weight;
    total_ += weight;
  }
  const std::map<std::size_t, double>& by_number() const { return votes_; }
  /// The least number that, with all below it, has at least this share of the votes.
  std::size_t quantile(double share) const {
    double sum = 0.0;
    for (const auto& [number, weight] : votes_) {
      sum += weight;
      if (sum >= share * total_) return number;
    }
    return votes_.rbegin()->first;
  }

 private:
  std::map<std::size_t, double> votes_;
  double total_ = 0.0;
};

/// With the grouping of the first set that comes nearest; of equally near ones the best.
ClassCount counted(std::size_t found, const Candidates& first) {
  const auto distance = [&](const Candidate& c) {
    return c.classes < found ? found - c.classes : c.classes - found;
  };
  const Candidate* nearest = nullptr;
  for (const Candidate& candidate : first) {
    if (!candidate.eligible) continue;
    if (nearest == nullptr || distance(candidate) < distance(*nearest) ||
        (distance(candidate) == distance(*nearest) && candidate.score > nearest->score))
      nearest = &candidate;
  }
  ClassCount result;
  result.found = result.least = result.most = found;
  result.grouping = nearest->grouping;
  result.own = nearest->classes;
  return result;
}

ClassCount count_by_labels(std::vector<Candidates> sets,
                           std::span<const HiddenClasses> hidden,
                           std::int64_t labelled_rows) {
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (Candidate& candidate : sets[i]) candidate.score = hidden[i].score(candidate.grouping);
    drop(sets[i], [&](const Candidate& c) { return c.classes < hidden[i].classes(); });
    drop_coarse(sets[i]);
  }
  const std::map<std::size_t, PooledScore> pooled = pool_scores(sets);
  const PooledScore best =
      std::max_element(pooled.begin(), pooled.end(), [](const auto& a, const auto& b) {
        return a.second.mean < b.second.mean;
      })->second;
  // Of the sets, and of the rows as coin throws, of which at least one might have fallen otherwise.
  const auto rows = static_cast<double>(labelled_rows);
  const double of_rows = std::max(best.mean * (1.0 - best.mean), 1.0 / rows) / rows;
  const double scale = kErrorsOfWeight * std::sqrt(best.variance + of_rows);
  Votes votes;
  for (const Candidates& candidates : sets)
    for (const Candidate& candidate : candidates)
      if (candidate.eligible)
        votes.add(candidate.classes,
                  std::exp((pooled.at(candidate.classes).mean - best.mean) / scale));
  ClassCount result = counted(votes.quantile(kBelow), sets.front());
  result.least = votes.quantile(kOutside);
  result.most = votes.quantile(1.0 - kOutside);
  result.score = pooled.at(result.found).mean;
  result.rule = ClassCountRule::hidden_classes;
  return result;
}

/// The interval is made of the numbers that have at least half as many votes as the winner.
ClassCount count_by_stability(std::vector<Candidates> sets) {
  Votes votes;
  for (Candidates& candidates : sets) {
    drop_coarse(candidates);
    drop(candidates, [](const Candidate& c) { return 2 * c.classes > c.grouping.prototypes(); });
    for (const Candidate& candidate : candidates)
      if (candidate.eligible) votes.add(candidate.classes, 1.0);
  }
  const auto winner =
      *std::max_element(votes.by_number().begin(), votes.by_number().end(),
                        [](const auto& a, const auto& b) { return a.second < b.second; });
  ClassCount result = counted(winner.first, sets.front());
  for (const auto& [number, weight] : votes.by_number()) {
    if (2.0 * weight < winner.second) continue;
    result.least = std::min(result.least, number);
    result.most = std::max(result.most, number);
  }
  return result;
}

void check(std::span<const PrototypeEvidence> sets, const ClassCountOptions& options) {
  if (sets.empty()) fail<ShapeError>("[class count] expected a set of prototypes, got none");
  for (const PrototypeEvidence& evidence : sets) {
    const std::size_t prototypes = evidence.prototypes();
    if (prototypes == 0) fail<ShapeError>("[class count] expected prototypes, got none");
    if (evidence.labelled.groups != prototypes || evidence.rows.size() != prototypes)
      fail<ShapeError>(
          "[class count] expected rows counted by {} prototypes, got {} and, labelled, {}",
          prototypes, evidence.rows.size(), evidence.labelled.groups);
  }
  if (options.candidates < 1 || options.folds < 1)
    fail<UsageError>("[class count] expected at least one candidate and fold, got {} and {}",
                     options.candidates, options.folds);
}

}  // namespace

ClassCount count_classes(std::span<const PrototypeEvidence> sets,
                         const ClassCountOptions& options) {
  check(sets, options);
  std::vector<Candidates> candidates;
  std::vector<HiddenClasses> hidden;
  for (const PrototypeEvidence& evidence : sets) {
    candidates.push_back(sweep(evidence, options));
    hidden.emplace_back(evidence.labelled, options.folds);
  }
  return hidden.front().classes() > 0
             ? count_by_labels(std::move(candidates), hidden, sets.front().labelled.rows())
             : count_by_stability(std::move(candidates));
}

}  // namespace opencd
