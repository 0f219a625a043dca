// The losses of the compared methods in double precision, as their formulas have them: what kernels
// are compared with. Slopes are central differences where a formula would only repeat the kernel's.
#pragma once

#include "bench/reference.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace opencd::bench {

struct ReferenceLoss {
  double loss = 0.0;
  std::vector<double> diff;
};

inline std::vector<double> softmax_of(const std::vector<double>& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  std::vector<double> p(logits.size());
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = std::exp(logits[i] - largest);
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= total;
  return p;
}

/// Every third row labelled, every third uncounted, every third counted without a target (-2).
inline std::vector<std::int32_t> mixed_labels(std::size_t rows, std::size_t classes) {
  std::vector<std::int32_t> labels(rows);
  for (std::size_t i = 0; i < rows; ++i)
    labels[i] =
        i % 3 == 0 ? static_cast<std::int32_t>(i % classes) : -static_cast<std::int32_t>(i % 3);
  return labels;
}

inline ReferenceLoss reference_cross_entropy(const std::vector<float>& src,
                                             const std::vector<std::int32_t>& labels,
                                             double scale,
                                             double margin) {
  const std::size_t rows = labels.size();
  const std::size_t classes = src.size() / rows;
  const auto counted = static_cast<double>(std::count_if(
      labels.begin(), labels.end(), [](std::int32_t label) { return label >= 0 || label == -2; }));
  ReferenceLoss result{.diff = std::vector<double>(src.size(), 0.0)};
  for (std::size_t row = 0; row < rows; ++row) {
    if (labels[row] < 0) continue;
    const auto label = static_cast<std::size_t>(labels[row]);
    std::vector<double> logits(classes);
    for (std::size_t c = 0; c < classes; ++c)
      logits[c] = scale * (src[row * classes + c] + (c == label ? margin : 0.0));
    const std::vector<double> p = softmax_of(logits);
    result.loss -= std::log(p[label]) / counted;
    for (std::size_t c = 0; c < classes; ++c)
      result.diff[row * classes + c] = scale * (p[c] - (c == label ? 1.0 : 0.0)) / counted;
  }
  return result;
}

inline ReferenceLoss reference_squared_difference(const std::vector<float>& a,
                                                  const std::vector<float>& b) {
  const auto entries = static_cast<double>(a.size());
  ReferenceLoss result{.diff = std::vector<double>(a.size())};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    result.loss += difference * difference / entries;
    result.diff[i] = 2.0 * difference / entries;
  }
  return result;
}

inline ReferenceLoss reference_rank_pairs(const std::vector<float>& products,
                                          const std::vector<std::int32_t>& tops,
                                          const std::vector<std::int32_t>& labels) {
  const std::size_t rows = labels.size();
  const auto k = static_cast<std::ptrdiff_t>(tops.size() / rows);
  const auto n = static_cast<double>(
      std::count_if(labels.begin(), labels.end(), [](std::int32_t label) { return label < 0; }));
  const auto set_of = [&](std::size_t row) {
    const auto first = tops.begin() + static_cast<std::ptrdiff_t>(row) * k;
    std::vector<std::int32_t> set(first, first + k);
    std::sort(set.begin(), set.end());
    return set;
  };
  ReferenceLoss result{.diff = std::vector<double>(products.size(), 0.0)};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) {
      if (labels[i] >= 0 || labels[j] >= 0) continue;
      const double p = products[i * rows + j];
      const bool same = set_of(i) == set_of(j);
      const double x = (same ? p : 1.0 - p) + 1e-7;
      result.loss -= std::log(x) / (n * n);
      result.diff[i * rows + j] = (same ? -1.0 : 1.0) / x / (n * n);
    }
  return result;
}

/// A batch of deep clustering; the targets of row i are row i of `targets`.
struct ClusterProblem {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t clusters = 0;
  std::vector<float> z[2], centres, targets;
  std::vector<std::int32_t> labels;
  double weight = 1.0;
};

inline ClusterProblem random_cluster_problem(std::size_t rows,
                                             std::size_t columns,
                                             std::size_t clusters) {
  ClusterProblem problem{.rows = rows, .columns = columns, .clusters = clusters};
  for (std::uint32_t view = 0; view < 2; ++view)
    problem.z[view] = random_values(rows * columns, 40 + view);
  problem.centres = random_values(clusters * columns, 42);
  problem.targets = random_values(rows * clusters, 43);
  for (float& value : problem.targets) value = value * value / static_cast<float>(clusters);
  problem.labels = mixed_labels(rows, clusters);
  problem.weight = 3.0;
  return problem;
}

inline double reference_cluster_loss(const ClusterProblem& problem) {
  const auto n = static_cast<double>(std::count_if(problem.labels.begin(), problem.labels.end(),
                                                   [](std::int32_t label) { return label < 0; }));
  const double entries = n * static_cast<double>(problem.clusters);
  double total = 0.0;
  for (std::size_t row = 0; row < problem.rows; ++row) {
    if (problem.labels[row] >= 0) continue;
    std::vector<double> s[2];
    for (int view = 0; view < 2; ++view) {
      for (std::size_t j = 0; j < problem.clusters; ++j) {
        double squares = 0.0;
        for (std::size_t d = 0; d < problem.columns; ++d) {
          const double difference =
              static_cast<double>(problem.z[view][row * problem.columns + d]) -
              problem.centres[j * problem.columns + d];
          squares += difference * difference;
        }
        s[view].push_back(1.0 / (1.0 + squares));
      }
      const double sum = std::accumulate(s[view].begin(), s[view].end(), 0.0);
      for (double& value : s[view]) value /= sum;
    }
    for (std::size_t j = 0; j < problem.clusters; ++j) {
      const double t = problem.targets[row * problem.clusters + j];
      const double difference = s[0][j] - s[1][j];
      total += (t > 0.0 ? t * std::log(t / s[0][j]) : 0.0) / entries;
      total += problem.weight * difference * difference / entries;
    }
  }
  return total;
}

/// The slope of `value` at one entry of `values`, which must be what it looks at.
inline double central_slope(std::vector<float>& values,
                            std::size_t at,
                            const std::function<double()>& value) {
  const float centre = values[at];
  const float high = centre + 1e-3f;
  const float low = centre - 1e-3f;
  values[at] = high;
  const double above = value();
  values[at] = low;
  const double below = value();
  values[at] = centre;
  return (above - below) / (static_cast<double>(high) - low);
}

/// The weighted mean of DS3L from logits of both views and of the weights.
struct SafeProblem {
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::vector<float> logits[2], weight_logits;
  std::vector<std::int32_t> labels;
};

inline SafeProblem random_safe_problem(std::size_t rows, std::size_t classes) {
  return {rows,
          classes,
          {random_values(rows * classes, 50), random_values(rows * classes, 51)},
          random_values(rows, 52),
          mixed_labels(rows, classes)};
}

inline double reference_safe_consistency(const SafeProblem& problem) {
  double weights = 0.0;
  double weighted = 0.0;
  for (std::size_t row = 0; row < problem.rows; ++row) {
    if (problem.labels[row] >= 0) continue;
    std::vector<double> p[2];
    for (int view = 0; view < 2; ++view) {
      const auto first =
          problem.logits[view].begin() + static_cast<std::ptrdiff_t>(row * problem.classes);
      p[view] = softmax_of({first, first + static_cast<std::ptrdiff_t>(problem.classes)});
    }
    double u = 0.0;
    for (std::size_t c = 0; c < problem.classes; ++c)
      u += (p[1][c] - p[0][c]) * (p[1][c] - p[0][c]) / static_cast<double>(problem.classes);
    const double w = 1.0 / (1.0 + std::exp(-static_cast<double>(problem.weight_logits[row])));
    weights += w;
    weighted += w * u;
  }
  return weights > 0.0 ? weighted / weights : 0.0;
}

/// Group probabilities to the power of `sharpness`, then rounds of Sinkhorn and Knopp.
inline std::vector<double> reference_balanced_targets(const std::vector<double>& q,
                                                      const std::vector<float>& shares,
                                                      int rounds,
                                                      double sharpness) {
  const std::size_t groups = shares.size();
  const std::size_t rows = q.size() / groups;
  std::vector<double> t = q;
  for (double& value : t) value = std::pow(value, sharpness);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t g = 0; g < groups; ++g) {
      double mean = 0.0;
      for (std::size_t b = 0; b < rows; ++b) mean += t[b * groups + g] / static_cast<double>(rows);
      for (std::size_t b = 0; b < rows; ++b) t[b * groups + g] *= shares[g] / mean;
    }
    for (std::size_t b = 0; b < rows; ++b) {
      const auto row = t.begin() + static_cast<std::ptrdiff_t>(b * groups);
      const double sum = std::accumulate(row, row + static_cast<std::ptrdiff_t>(groups), 0.0);
      for (std::size_t g = 0; g < groups; ++g) t[b * groups + g] /= sum;
    }
  }
  return t;
}

}  // namespace opencd::bench
