#include "opencd/label_agreement.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace opencd {

namespace {

constexpr double kPriorRows = 5.0;  // s

/// l, a prototype a row, with the part without labels last.
std::vector<double> class_shares(const PrototypeEvidence& evidence, double rate) {
  const std::size_t classes = evidence.labelled.classes;
  const std::vector<std::int64_t> of_classes = evidence.labelled.rows_of_classes();
  const double all = std::accumulate(evidence.rows.begin(), evidence.rows.end(), 0.0);
  std::vector<double> shares;
  shares.reserve(evidence.prototypes() * (classes + 1));
  for (std::size_t k = 0; k < evidence.prototypes(); ++k) {
    const auto first = static_cast<std::ptrdiff_t>(shares.size());
    const double expected = rate * evidence.rows[k] + kPriorRows;
    for (std::size_t c = 0; c < classes; ++c) {
      const double of_all = static_cast<double>(of_classes[c]) / (rate * all);
      const auto labelled = static_cast<double>(evidence.labelled.at(k, c));
      shares.push_back((labelled + kPriorRows * of_all) / expected);
    }
    const double known = std::accumulate(shares.begin() + first, shares.end(), 0.0);
    std::for_each(shares.begin() + first, shares.end(),
                  [&](double& share) { share /= std::max(1.0, known); });
    shares.push_back(std::max(0.0, 1.0 - known));
  }
  return shares;
}

}  // namespace

AffinityMatrix affinity_by_labels(const PrototypeEvidence& evidence, double rate) {
  if (rate <= 0.0) return evidence.affinity;
  const std::size_t size = evidence.prototypes();
  const std::size_t columns = evidence.labelled.classes + 1;
  const std::vector<double> shares = class_shares(evidence, rate);
  std::vector<double> values(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      double agreement = 0.0;
      for (std::size_t c = 0; c < columns; ++c)
        agreement += std::min(shares[i * columns + c], shares[j * columns + c]);
      values[i * size + j] = agreement * evidence.affinity.at(i, j);
    }
  return {std::span<const double>(values), size};
}

}  // namespace opencd
