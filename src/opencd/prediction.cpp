#include "opencd/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace opencd {

namespace {

constexpr int kRounds = 100;  // of balancing; shares settle within some tens

std::size_t index_of_largest(std::span<const float> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// Of group `best`, given the probabilities of all.
Prediction prediction_of(std::size_t best, const std::vector<double>& q, float likeness) {
  double other = 0.0;
  for (std::size_t g = 0; g < q.size(); ++g)
    if (g != best) other = std::max(other, q[g]);
  return {static_cast<std::int32_t>(best), static_cast<float>(q[best]),
          static_cast<float>(q[best] - other), likeness};
}

void make_sum_one(std::span<double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
}

}  // namespace

std::vector<double> group_probabilities(std::span<const float> cosines,
                                        const Grouping& grouping,
                                        double temperature) {
  const double largest = *std::max_element(cosines.begin(), cosines.end());
  std::vector<double> q(grouping.groups, 0.0);
  for (std::size_t k = 0; k < cosines.size(); ++k)
    q[static_cast<std::size_t>(grouping.group_of[k])] +=
        std::exp((static_cast<double>(cosines[k]) - largest) / temperature);
  make_sum_one(q);
  return q;
}

Prediction predict_from_cosines(std::span<const float> cosines,
                                const Grouping& grouping,
                                double temperature) {
  const std::size_t nearest = index_of_largest(cosines);
  return prediction_of(static_cast<std::size_t>(grouping.group_of[nearest]),
                       group_probabilities(cosines, grouping, temperature), cosines[nearest]);
}

Prediction predict_balanced(std::span<const float> cosines,
                            const Grouping& grouping,
                            double temperature,
                            std::span<const double> factors) {
  std::vector<double> q = group_probabilities(cosines, grouping, temperature);
  for (std::size_t g = 0; g < q.size(); ++g) q[g] *= factors[g];
  make_sum_one(q);
  const auto best = static_cast<std::size_t>(std::max_element(q.begin(), q.end()) - q.begin());
  float likeness = -1.0f;
  for (std::size_t k = 0; k < cosines.size(); ++k)
    if (static_cast<std::size_t>(grouping.group_of[k]) == best)
      likeness = std::max(likeness, cosines[k]);
  return prediction_of(best, q, likeness);
}

std::vector<double> balancing_factors(std::span<const double> rows, std::size_t groups) {
  std::vector<double> squares(groups, 1.0);  // of the factors
  const double wanted = static_cast<double>(rows.size()) / static_cast<double>(groups * groups);
  std::vector<double> share(groups);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> shares(groups, 0.0);
    for (std::size_t first = 0; first < rows.size(); first += groups) {
      for (std::size_t g = 0; g < groups; ++g)
        share[g] = rows[first + g] * rows[first + g] * squares[g];
      make_sum_one(share);
      for (std::size_t g = 0; g < groups; ++g) shares[g] += share[g];
    }
    for (std::size_t g = 0; g < groups; ++g)
      if (shares[g] > 0.0) squares[g] *= wanted / shares[g];
  }
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

Prediction predict_from_logits(std::span<const float> logits, const Grouping& grouping) {
  Prediction prediction = predict_from_cosines(logits, grouping, 1.0);
  prediction.likeness = prediction.confidence;
  return prediction;
}

std::vector<Prediction> predict_rows_from_logits(std::span<const float> logits,
                                                 const Grouping& grouping) {
  const std::size_t columns = grouping.prototypes();
  std::vector<Prediction> result(logits.size() / columns);
  for (std::size_t row = 0; row < result.size(); ++row)
    result[row] = predict_from_logits(logits.subspan(row * columns, columns), grouping);
  return result;
}

std::vector<std::int32_t> largest_of_rows(std::span<const float> values, std::size_t columns) {
  std::vector<std::int32_t> result(values.size() / columns);
  for (std::size_t row = 0; row < result.size(); ++row) {
    const auto entries = values.subspan(row * columns, columns);
    result[row] = static_cast<std::int32_t>(std::max_element(entries.begin(), entries.end()) -
                                            entries.begin());
  }
  return result;
}

}  // namespace opencd
