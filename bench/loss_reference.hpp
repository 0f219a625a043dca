// The losses of OpenNCD in double precision, term by term as the paper and the authors' program have
// them, slopes by central differences, and positive pairs: what kernels are compared with.
#pragma once

#include "bench/reference.hpp"
#include "kernels/positive_pairs.hpp"
#include "kernels/prototype_loss_config.hpp"

#include <algorithm>
#include <numeric>

namespace opencd::bench {

/// One batch: cosines of both views to the prototypes and all that goes with them.
struct LossProblem {
  std::size_t rows = 0;
  std::size_t prototypes = 0;
  std::size_t groups = 0;
  std::vector<float> cosines[2];
  std::vector<std::int32_t> partners, labels, group_of;
  std::vector<float> prior;
  kernels::PrototypeLossConfig config;
};

/// Random cosines and partners; every third row is labelled; groups dealt out in turn; the
/// multi-prototype prior.
inline LossProblem random_loss_problem(std::size_t rows,
                                       std::size_t prototypes,
                                       std::size_t groups,
                                       const kernels::PrototypeLossConfig& config) {
  LossProblem problem{.rows = rows, .prototypes = prototypes, .groups = groups};
  problem.config = config;
  const RandomStream random{7, RandomPurpose::test, 1, rows * prototypes};
  const auto below = [&](std::size_t i, std::size_t bound) {
    const RandomBits bits = random.draw(static_cast<std::uint32_t>(i));
    return static_cast<std::int32_t>(to_below(bits.word[0], static_cast<std::uint32_t>(bound)));
  };
  for (std::uint32_t view = 0; view < 2; ++view)
    problem.cosines[view] = random_values(rows * prototypes, 20 + view);
  for (std::size_t i = 0; i < rows; ++i) {
    problem.partners.push_back(below(i, rows));
    problem.labels.push_back(i % 3 == 0 ? below(rows + i, groups) : -1);
  }
  for (std::size_t k = 0; k < prototypes; ++k) {
    const std::size_t size = prototypes / groups + (k % groups < prototypes % groups ? 1 : 0);
    problem.group_of.push_back(static_cast<std::int32_t>(k % groups));
    problem.prior.push_back(1.0f / static_cast<float>(groups * size));
  }
  return problem;
}

struct LossValues {
  double proto = 0.0, group = 0.0, reg = 0.0, ce = 0.0, total = 0.0;
};

inline std::vector<double> softmax_of_row(const LossProblem& problem, int view, std::size_t row) {
  const float* x = problem.cosines[view].data() + row * problem.prototypes;
  std::vector<double> p(problem.prototypes);
  for (std::size_t k = 0; k < p.size(); ++k)
    p[k] = std::exp(x[k] / static_cast<double>(problem.config.temperature));
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= total;
  return p;
}

inline std::vector<double> sum_groups(const LossProblem& problem, const std::vector<double>& p) {
  std::vector<double> q(problem.groups, 0.0);
  for (std::size_t k = 0; k < p.size(); ++k)
    q[static_cast<std::size_t>(problem.group_of[k])] += p[k];
  return q;
}

/// What part of L_reg's mean every row is.
inline std::vector<double> reference_shares(const LossProblem& problem) {
  const double share = problem.config.labelled_share;
  const auto labelled =
      std::count_if(problem.labels.begin(), problem.labels.end(), [](int l) { return l >= 0; });
  const auto all = static_cast<std::ptrdiff_t>(problem.rows);
  std::vector<double> shares(problem.rows, 1.0 / static_cast<double>(all));
  if (share < 0.0 || labelled == 0 || labelled == all) return shares;
  for (std::size_t i = 0; i < problem.rows; ++i)
    shares[i] = problem.labels[i] >= 0 ? share / static_cast<double>(labelled)
                                       : (1.0 - share) / static_cast<double>(all - labelled);
  return shares;
}

inline LossValues reference_losses(const LossProblem& problem) {
  const bool paper = problem.config.form == kernels::LossForm::paper;
  const auto n = static_cast<double>(problem.rows);
  const std::vector<double> shares = reference_shares(problem);
  std::vector<double> mean(problem.prototypes, 0.0);
  LossValues loss;
  double labelled = 0.0;
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const auto t = static_cast<std::size_t>(problem.partners[i]);
    const std::vector<double> p = softmax_of_row(problem, 0, i);
    const std::vector<double> v = softmax_of_row(problem, 1, t);
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    loss.proto -= std::log(dot(p, v) / (paper ? std::sqrt(dot(p, p) * dot(v, v)) : 1.0)) / n;
    const std::vector<double> q = sum_groups(problem, p);
    const std::vector<double> r = sum_groups(problem, softmax_of_row(problem, 1, paper ? t : i));
    for (std::size_t g = 0; g < q.size(); ++g)
      loss.group -=
          (paper ? 1.0 : 0.5) / n * (r[g] * std::log(q[g] + 1e-8) + q[g] * std::log(r[g] + 1e-8));
    for (std::size_t k = 0; k < p.size(); ++k) mean[k] += p[k] * shares[i];
    if (problem.labels[i] < 0) continue;
    labelled += 1.0;
    loss.ce -= std::log(q[static_cast<std::size_t>(problem.labels[i])] + 1e-8);
  }
  loss.ce /= std::max(labelled, 1.0);
  for (std::size_t k = 0; k < mean.size(); ++k)
    loss.reg += mean[k] * std::log(mean[k] / problem.prior[k]);
  const kernels::PrototypeLossWeights& w = problem.config.weights;
  loss.total = w.proto * loss.proto + w.group * loss.group + w.reg * loss.reg + w.ce * loss.ce;
  return loss;
}

/// The slope of the total at one cosine of a view.
inline double reference_slope(LossProblem problem, int view, std::size_t at) {
  const float centre = problem.cosines[view][at];
  const auto value = [&](float x) {
    problem.cosines[view][at] = x;
    return reference_losses(problem).total;
  };
  const float high = centre + 1e-4f;
  const float low = centre - 1e-4f;
  return (value(high) - value(low)) / (static_cast<double>(high) - low);
}

/// The positive partner of a row by the rule in plain words: candidates in order, one of them by the row's random word.
inline std::int32_t reference_partner(const std::vector<float>& cosines,
                                      const std::vector<std::int32_t>& labels,
                                      kernels::PairKey key,
                                      std::size_t self) {
  const std::size_t rows = labels.size();
  std::vector<std::size_t> candidates;
  for (std::size_t c = 0; c < rows; ++c)
    if (c != self && (labels[self] < 0 || labels[c] == labels[self])) candidates.push_back(c);
  if (candidates.empty()) return static_cast<std::int32_t>(self);
  std::size_t chosen = 0;
  if (labels[self] < 0) {
    for (std::size_t i = 1; i < candidates.size(); ++i)
      if (cosines[self * rows + candidates[i]] > cosines[self * rows + candidates[chosen]])
        chosen = i;
  } else {
    const RandomStream stream{key.seed, RandomPurpose::positive_pairs, key.step, self};
    chosen = to_below(stream.draw(0).word[0], static_cast<std::uint32_t>(candidates.size()));
  }
  return static_cast<std::int32_t>(candidates[chosen]);
}

}  // namespace opencd::bench
