#include "opencd/prototype_evidence.hpp"

#include <algorithm>
#include <utility>

namespace opencd {

PrototypeEvidence make_evidence(AffinityMatrix affinity,
                                std::span<const std::int32_t> nearest,
                                const KnownRows& known) {
  const std::size_t prototypes = affinity.size();
  Contingency labelled = count_labelled(nearest, known.class_of_row, prototypes, known.classes);
  std::vector<std::int32_t> has_class;
  for (const std::int32_t cls : known.class_of_row) has_class.push_back(cls >= 0 ? 1 : 0);
  const Contingency by_kind = count_contingency(nearest, has_class, prototypes, 2);
  std::vector<double> rows;
  rows.reserve(prototypes);
  for (std::size_t k = 0; k < prototypes; ++k)
    rows.push_back(known.unlabelled_weight * static_cast<double>(by_kind.at(k, 0)) +
                   static_cast<double>(by_kind.at(k, 1)));
  return {
      std::move(affinity), std::move(labelled), std::move(rows), {nearest.begin(), nearest.end()}};
}

std::vector<double> rows_of_groups(const Grouping& grouping, std::span<const double> rows) {
  std::vector<double> sums(grouping.groups, 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    sums[static_cast<std::size_t>(grouping.group_of[k])] += rows[k];
  return sums;
}

std::size_t groups_with_rows(const Grouping& grouping, std::span<const double> rows) {
  const std::vector<double> sums = rows_of_groups(grouping, rows);
  return static_cast<std::size_t>(
      std::count_if(sums.begin(), sums.end(), [](double sum) { return sum > 0.0; }));
}

}  // namespace opencd
