// From likenesses to groups: how a row's group is chosen and how sure that is.
#pragma once

#include "opencd/grouping/grouping.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

/// The group of a row, with how sure that is.
struct Prediction {
  std::int32_t group = 0;
  float confidence = 0.0f;  // probability of the group
  float margin = 0.0f;      // and how far the best other group is behind
  float likeness = 0.0f;    // cosine to what the group was learned from; low: none of these
};

/// Groups as a method leaves them: the first `known` stand for the known classes.
struct GroupCount {
  std::size_t found = 0;
  std::size_t low = 0;  // interval of the number of classes; equal to `found` where it was given
  std::size_t high = 0;
};

/// The group of the nearest prototype, as the authors' program predicts; confidence and margin are
/// those of q, the sums of softmax(cosine / temperature) over groups.
Prediction predict_from_cosines(std::span<const float> cosines,
                                const Grouping& grouping,
                                double temperature);
/// The group with the largest q[g] factors[g]; confidence and margin are those of that product, made to
/// sum to 1. `factors` are those of balancing_factors.
Prediction predict_balanced(std::span<const float> cosines,
                            const Grouping& grouping,
                            double temperature,
                            std::span<const double> factors);
/// Factors of groups that give each of them the same share of rows: over `rows`, a matrix of q, the
/// means of q[g]^2 factors[g]^2, every row made to sum to 1, are equal. The square makes the shares those
/// of rows that go to a group, more than those of doubt. A group without any q keeps 1.
std::vector<double> balancing_factors(std::span<const double> rows, std::size_t groups);
/// q of a row: sums of softmax(cosine / temperature) over groups.
std::vector<double> group_probabilities(std::span<const float> cosines,
                                        const Grouping& grouping,
                                        double temperature);
/// The group of the largest logit of a classifier, with the softmax's probabilities; for want of a
/// cosine, the likeness is the confidence.
Prediction predict_from_logits(std::span<const float> logits, const Grouping& grouping);
/// The same for every row of a matrix with as many columns as `grouping` has prototypes.
std::vector<Prediction> predict_rows_from_logits(std::span<const float> logits,
                                                 const Grouping& grouping);
/// The column of the largest entry of every row.
std::vector<std::int32_t> largest_of_rows(std::span<const float> values, std::size_t columns);

}  // namespace opencd
