#include "opencd/grouping/affinity_propagation.hpp"

#include "error.hpp"
#include "opencd/grouping/random_sequence.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace opencd {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

/// Whether all affinities between different prototypes are the same: then there is nothing to find.
bool all_equal(const AffinityMatrix& affinity) {
  for (std::size_t i = 0; i < affinity.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (affinity.at(i, j) != affinity.at(1, 0)) return false;
  return true;
}

/// S: affinities with the preference on the diagonal, and a little noise.
std::vector<double> similarities(const AffinityMatrix& affinity,
                                 double preference,
                                 std::uint32_t seed) {
  std::vector<double> S(affinity.values().begin(), affinity.values().end());
  for (std::size_t i = 0; i < affinity.size(); ++i) S[i * affinity.size() + i] = preference;
  RandomSequence random(seed);
  for (double& s : S)
    s += (std::numeric_limits<double>::epsilon() * s + 100.0 * std::numeric_limits<double>::min()) *
         (2.0 * random.unit() - 1.0);
  return S;
}

class Messages {
 public:
  Messages(const std::vector<double>& similarities, std::size_t size, double damping)
      : S_(similarities),
        size_(size),
        damping_(damping),
        R_(S_.size(), 0.0),
        A_(S_.size(), 0.0),
        steady_for_(size, 0),
        exemplar_(size, false) {}

  /// Whether exemplars exist and have been the same for `stable` iterations.
  bool run(int iterations, int stable) {
    for (int i = 0; i < iterations; ++i) {
      update_responsibilities();
      update_availabilities();
      update_exemplars();
      const int shortest = *std::min_element(steady_for_.begin(), steady_for_.end());
      if (i >= stable && shortest >= stable && !exemplars().empty()) return true;
    }
    return false;
  }

  std::vector<std::size_t> exemplars() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < size_; ++i)
      if (exemplar_[i]) result.push_back(i);
    return result;
  }

 private:
  /// R[i][k] <- S[i][k] - max over k' != k of (A + S)[i][k'], damped.
  void update_responsibilities() {
    for (std::size_t i = 0; i < size_; ++i) {
      const double* s = &S_[i * size_];
      const double* a = &A_[i * size_];
      double* r = &R_[i * size_];
      double first = -std::numeric_limits<double>::infinity();
      double second = first;
      std::size_t place = 0;
      for (std::size_t k = 0; k < size_; ++k) {
        const double value = a[k] + s[k];
        if (value > first) {
          second = first;
          first = value;
          place = k;
        } else {
          second = std::max(second, value);
        }
      }
      const double kept = damping_ * r[place];
      for (std::size_t k = 0; k < size_; ++k)
        r[k] = damping_ * r[k] + (1.0 - damping_) * (s[k] - first);
      r[place] = kept + (1.0 - damping_) * (s[place] - second);
    }
  }

  /// A[i][k] <- min(0, R[k][k] + sum over i' != i, k of max(0, R[i'][k])), without the minimum and
  /// R[k][k] for i = k, damped.
  void update_availabilities() {
    std::vector<double> support(size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t k = 0; k < size_; ++k) support[k] += supporting(i, k);
    for (std::size_t i = 0; i < size_; ++i) {
      double* a = &A_[i * size_];
      const double self = damping_ * a[i] - (1.0 - damping_) * (R_[i * size_ + i] - support[i]);
      for (std::size_t k = 0; k < size_; ++k) {
        const double lack = std::max(std::max(R_[i * size_ + k], 0.0) - support[k], 0.0);
        a[k] = damping_ * a[k] - (1.0 - damping_) * lack;
      }
      a[i] = self;
    }
  }

  double supporting(std::size_t i, std::size_t k) const {
    const double r = R_[i * size_ + k];
    return i == k ? r : std::max(r, 0.0);
  }

  void update_exemplars() {
    for (std::size_t i = 0; i < size_; ++i) {
      const bool now = A_[i * size_ + i] + R_[i * size_ + i] > 0.0;
      steady_for_[i] = now == exemplar_[i] && steady_for_[i] > 0 ? steady_for_[i] + 1 : 1;
      exemplar_[i] = now;
    }
  }

  const std::vector<double>& S_;
  std::size_t size_;
  double damping_;
  std::vector<double> R_;        // responsibilities
  std::vector<double> A_;        // availabilities
  std::vector<int> steady_for_;  // iterations since a prototype began or ceased to be an exemplar
  std::vector<bool> exemplar_;
};

/// Every prototype to the most similar exemplar, exemplars to themselves.
std::vector<std::int32_t> gather(const std::vector<double>& S,
                                 std::size_t size,
                                 const std::vector<std::size_t>& exemplars) {
  std::vector<std::int32_t> group_of(size, 0);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t g = 1; g < exemplars.size(); ++g) {
      const std::size_t best = exemplars[static_cast<std::size_t>(group_of[i])];
      if (S[i * size + exemplars[g]] > S[i * size + best])
        group_of[i] = static_cast<std::int32_t>(g);
    }
  for (std::size_t g = 0; g < exemplars.size(); ++g)
    group_of[exemplars[g]] = static_cast<std::int32_t>(g);
  return group_of;
}

/// The member of each group that all members together are most similar to.
std::vector<std::size_t> central_members(const std::vector<double>& S,
                                         std::size_t size,
                                         const std::vector<std::int32_t>& group_of,
                                         std::size_t groups) {
  std::vector<std::size_t> central(groups, 0);
  std::vector<double> best(groups, -std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < size; ++k) {
    const auto group = static_cast<std::size_t>(group_of[k]);
    double sum = 0.0;
    for (std::size_t i = 0; i < size; ++i)
      if (group_of[i] == group_of[k]) sum += S[i * size + k];
    if (sum > best[group]) {
      best[group] = sum;
      central[group] = k;
    }
  }
  return central;
}

}  // namespace

std::optional<PropagatedGroups> affinity_propagation(const AffinityMatrix& affinity,
                                                     const AffinityPropagationOptions& options) {
  if (!(options.damping >= 0.5 && options.damping < 1.0))
    fail<UsageError>("[affinity propagation] expected a damping from 0.5 to below 1, got {}",
                     options.damping);
  const std::size_t size = affinity.size();
  if (size <= 1) return PropagatedGroups{single_groups(size), true};
  const double preference =
      options.preference.value_or(median({affinity.values().begin(), affinity.values().end()}));
  if (all_equal(affinity)) {
    const bool apart = preference > affinity.at(1, 0);
    return PropagatedGroups{apart ? single_groups(size) : number_groups(std::vector(size, 0)),
                            true};
  }
  const std::vector<double> S = similarities(affinity, preference, options.seed);
  Messages messages(S, size, options.damping);
  const bool converged = messages.run(options.iterations, options.stable);
  std::vector<std::size_t> exemplars = messages.exemplars();
  if (exemplars.empty()) return std::nullopt;
  exemplars = central_members(S, size, gather(S, size, exemplars), exemplars.size());
  return PropagatedGroups{number_groups(gather(S, size, exemplars)), converged};
}

}  // namespace opencd
