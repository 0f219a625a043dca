#include "opencd/class_count.hpp"

#include "error.hpp"
#include "opencd/class_sizes.hpp"
#include "opencd/grouping/louvain.hpp"
#include "opencd/recovery_curve.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace opencd {

namespace {

constexpr double kLeastResolution = 1e-3;
// Errors of the best score that take a weight down to a share of 1/e: the score has doubts of its own.
constexpr double kErrorsOfWeight = 2.5;
// Share of the weight that numbers have without votes, in proportion to 1 / n: all orders of magnitude
// alike.
constexpr double kUnvoted = 0.2;
constexpr double kOutside = 0.05;       // share of the weight on either side of the interval
constexpr std::size_t kLeastKnown = 2;  // a class alone is recovered by any merger

struct Candidate {
  double resolution = 0.0;
  Grouping grouping;
  std::size_t classes = 0;  // groups that have rows
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

/// Weights of numbers of classes.
class Weights {
 public:
  void add(std::size_t number, double weight) {
    weights_[number] += weight;
    total_ += weight;
  }
  const std::map<std::size_t, double>& by_number() const { return weights_; }
  double of(std::size_t number) const {
    const auto found = weights_.find(number);
    return found == weights_.end() ? 0.0 : found->second;
  }
  /// The number with the most weight; the least one of equals.
  std::size_t heaviest() const {
    return std::max_element(weights_.begin(), weights_.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
  /// The least number that, with all below it, has at least this share of the weight.
  std::size_t quantile(double share) const {
    double sum = 0.0;
    for (const auto& [number, weight] : weights_) {
      sum += weight;
      if (sum >= share * total_) return number;
    }
    return weights_.rbegin()->first;
  }

 private:
  std::map<std::size_t, double> weights_;
  double total_ = 0.0;
};

/// A vote of every eligible candidate for its number; all together weigh 1.
Weights votes_of(const std::vector<Candidates>& sets) {
  std::vector<std::size_t> numbers;
  for (const Candidates& candidates : sets)
    for (const Candidate& candidate : candidates)
      if (candidate.eligible) numbers.push_back(candidate.classes);
  Weights votes;
  for (const std::size_t number : numbers)
    votes.add(number, 1.0 / static_cast<double>(numbers.size()));
  return votes;
}

/// With the grouping of the first set that comes nearest.
ClassCount counted(std::size_t found, const Candidates& first) {
  const auto distance = [&](const Candidate& c) {
    return c.classes < found ? found - c.classes : c.classes - found;
  };
  const Candidate* nearest = nullptr;
  for (const Candidate& candidate : first) {
    if (!candidate.eligible) continue;
    if (nearest == nullptr || distance(candidate) < distance(*nearest)) nearest = &candidate;
  }
  ClassCount result;
  result.found = result.least = result.most = found;
  result.grouping = nearest->grouping;
  result.own = nearest->classes;
  return result;
}

/// `known`: classes that have labelled rows.
ClassCount count_by_labels(std::span<const PrototypeEvidence> sets,
                           std::vector<Candidates> candidates,
                           std::size_t known,
                           const ClassCountOptions& options) {
  for (Candidates& of_set : candidates) {
    drop(of_set, [&](const Candidate& c) { return c.classes < known; });
    drop_coarse(of_set);
  }
  std::size_t most = known;
  double inverses = 0.0;
  for (const PrototypeEvidence& set : sets) most = std::max(most, set.prototypes());
  for (std::size_t number = known; number <= most; ++number)
    inverses += 1.0 / static_cast<double>(number);
  const Weights votes = votes_of(candidates);
  const std::optional<NumberBySize> by_size = number_by_size(sets);
  const RecoveryCurve curve(sets, known, most,
                            {.folds = options.folds,
                             .rate = by_size ? by_size->rate : 0.0,
                             .belief = by_size && by_size->rate > 0.0 ? by_size->belief : 0.0,
                             .seed = options.seed});
  const double scale = kErrorsOfWeight * curve.error_of_best();
  Weights weights;
  for (std::size_t number = known; number <= most; ++number) {
    const double before = votes.of(number) + kUnvoted / (inverses * static_cast<double>(number));
    double logarithm = (curve.at(number) - curve.best()) / scale;
    if (by_size) {
      const double away = std::log(static_cast<double>(number) / by_size->number) / by_size->error;
      logarithm -= 0.5 * by_size->belief * away * away;
    }
    weights.add(number, before * std::exp(logarithm));
  }
  ClassCount result = counted(weights.quantile(0.5), candidates.front());
  result.least = weights.quantile(kOutside);
  result.most = weights.quantile(1.0 - kOutside);
  result.score = curve.at(result.found);
  result.rule = ClassCountRule::hidden_classes;
  return result;
}

/// The interval is made of the numbers that have at least half as many votes as the winner.
ClassCount count_by_stability(std::vector<Candidates> sets) {
  for (Candidates& candidates : sets) {
    drop_coarse(candidates);
    drop(candidates, [](const Candidate& c) { return 2 * c.classes > c.grouping.prototypes(); });
  }
  const Weights votes = votes_of(sets);
  ClassCount result = counted(votes.heaviest(), sets.front());
  for (const auto& [number, weight] : votes.by_number()) {
    if (2.0 * weight < votes.of(result.found)) continue;
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
  for (const PrototypeEvidence& evidence : sets) candidates.push_back(sweep(evidence, options));
  const std::vector<std::int64_t> labelled = sets.front().labelled.rows_of_classes();
  const auto known = static_cast<std::size_t>(
      std::count_if(labelled.begin(), labelled.end(), [](std::int64_t rows) { return rows > 0; }));
  return known >= kLeastKnown ? count_by_labels(sets, std::move(candidates), known, options)
                              : count_by_stability(std::move(candidates));
}

}  // namespace opencd
