#include "opencd/recovery_curve.hpp"

#include "opencd/grouping/spectral.hpp"
#include "opencd/hidden_classes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace opencd {

namespace {

constexpr std::size_t kLowPoints = 3;  // in a row, after which no more are tried
constexpr double kFarBelow = 6.0;      // standard errors

/// Both ends included.
std::vector<std::size_t> evenly_spread_numbers(std::size_t least,
                                               std::size_t most,
                                               std::size_t points) {
  const double ratio = static_cast<double>(most) / static_cast<double>(least);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    const auto number =
        static_cast<std::size_t>(std::lround(static_cast<double>(least) * std::pow(ratio, share)));
    if (numbers.empty() || number > numbers.back()) numbers.push_back(number);
  }
  return numbers;
}

/// A set of prototypes as the curve asks it.
class Set {
 public:
  Set(const PrototypeEvidence& evidence, const RecoveryOptions& options)
      : options_(options), graph_(evidence.affinity) {
    if (options.belief > 0.0) with_rate_.emplace(evidence, options.folds, options.rate);
    if (options.belief < 1.0) without_.emplace(evidence, options.folds, 0.0);
  }

  double score(std::size_t number) const {
    const Grouping groups =
        graph_.groups({std::min(number, graph_.prototypes()), options_.starts, options_.seed});
    double sum = 0.0;
    if (with_rate_) sum += options_.belief * with_rate_->score(groups);
    if (without_) sum += (1.0 - options_.belief) * without_->score(groups);
    return sum;
  }

 private:
  RecoveryOptions options_;
  SpectralGraph graph_;
  std::optional<HiddenClasses> with_rate_;
  std::optional<HiddenClasses> without_;
};

}  // namespace

RecoveryCurve::RecoveryCurve(std::span<const PrototypeEvidence> sets,
                             std::size_t least,
                             std::size_t most,
                             const RecoveryOptions& options)
    : labelled_rows_(static_cast<double>(sets.front().labelled.rows())) {
  std::vector<Set> asked;
  asked.reserve(sets.size());
  for (const PrototypeEvidence& set : sets) asked.emplace_back(set, options);
  const auto count = static_cast<double>(sets.size());
  for (const std::size_t number : evenly_spread_numbers(least, most, options.points)) {
    std::vector<double> scores;
    scores.reserve(sets.size());
    for (const Set& set : asked) scores.push_back(set.score(number));
    Point point{number, std::accumulate(scores.begin(), scores.end(), 0.0) / count, 0.0};
    if (sets.size() > 1)
      for (const double score : scores)
        point.variance += (score - point.mean) * (score - point.mean) / (count * (count - 1.0));
    points_.push_back(point);
    if (point.mean > points_[best_].mean) best_ = points_.size() - 1;
    if (far_below_best()) break;
  }
}

bool RecoveryCurve::far_below_best() const {
  if (points_.size() - best_ <= kLowPoints) return false;
  const double limit = best() - kFarBelow * error_of_best();
  return std::all_of(points_.end() - kLowPoints, points_.end(),
                     [&](const Point& point) { return point.mean < limit; });
}

double RecoveryCurve::error_of_best() const {
  const double of_rows = std::max(best() * (1.0 - best()), 1.0 / labelled_rows_) / labelled_rows_;
  return std::sqrt(points_[best_].variance + of_rows);
}

double RecoveryCurve::at(std::size_t number) const {
  const auto above = std::lower_bound(
      points_.begin(), points_.end(), number,
      [](const Point& point, std::size_t wanted) { return point.number < wanted; });
  if (above == points_.end()) return points_.back().mean;
  if (above->number == number || above == points_.begin()) return above->mean;
  const Point& below = *std::prev(above);
  const double share = static_cast<double>(number - below.number) /
                       static_cast<double>(above->number - below.number);
  return below.mean + share * (above->mean - below.mean);
}

}  // namespace opencd
