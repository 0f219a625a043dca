#include "opencd/hidden_classes.hpp"

#include "opencd/assignment.hpp"
#include "opencd/match_groups.hpp"

#include <algorithm>
#include <numeric>

namespace opencd {

namespace {

/// The gains of `classes` in the groups that are not taken, a group a row.
class GainTable {
 public:
  GainTable(const std::vector<double>& gains, std::size_t groups)
      : gains_(gains), groups_(groups), columns_(gains.size() / groups), taken_(groups, false) {}

  /// Mean gain of `classes`, each matched to a group of its own; those groups become taken.
  double match(const std::vector<std::size_t>& classes) {
    std::vector<double> part;
    for (std::size_t group = 0; group < groups_; ++group)
      for (const std::size_t cls : classes)
        part.push_back(taken_[group] ? 0.0 : gains_[group * columns_ + cls]);
    const Assignment pairs = assign({part, groups_, classes.size()}, Objective::maximise);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const std::int32_t group = pairs.row_of_column[i];
      if (group >= 0 && part[static_cast<std::size_t>(group) * classes.size() + i] > 0.0)
        taken_[static_cast<std::size_t>(group)] = true;
    }
    return pairs.total / static_cast<double>(classes.size());
  }

 private:
  const std::vector<double>& gains_;
  std::size_t groups_;
  std::size_t columns_;
  std::vector<bool> taken_;
};

}  // namespace

HiddenClasses::HiddenClasses(const PrototypeEvidence& evidence, int most_folds, double rate)
    : evidence_(evidence),
      all_rows_(std::accumulate(evidence.rows.begin(), evidence.rows.end(), 0.0)),
      rate_(rate) {
  const std::vector<std::int64_t> rows = evidence.labelled.rows_of_classes();
  for (std::size_t cls = 0; cls < rows.size(); ++cls) {
    if (rows[cls] == 0) continue;
    classes_.push_back(cls);
    rows_of_class_.push_back(static_cast<double>(rows[cls]));
  }
  folds_ = std::min(classes_.size(), static_cast<std::size_t>(most_folds));
}

double HiddenClasses::score(const Grouping& grouping) const {
  const std::vector<double> of_groups = gains(grouping);
  double sum = 0.0;
  for (std::size_t fold = 0; fold < folds_; ++fold)
    sum += fold_score(of_groups, grouping.groups, fold);
  return sum / static_cast<double>(folds_);
}

std::vector<double> HiddenClasses::gains(const Grouping& grouping) const {
  const Contingency labelled = count_by_group(grouping, evidence_.labelled);
  const std::vector<double> rows = rows_of_groups(grouping, evidence_.rows);
  std::vector<double> gains;
  gains.reserve(grouping.groups * classes_.size());
  for (std::size_t group = 0; group < grouping.groups; ++group)
    for (std::size_t i = 0; i < classes_.size(); ++i)
      gains.push_back(gain(static_cast<double>(labelled.at(group, classes_[i])), rows_of_class_[i],
                           rows[group]));
  return gains;
}

/// `common` and `of_class` are labelled rows, `of_group` all rows.
double HiddenClasses::gain(double common, double of_class, double of_group) const {
  if (rate_ == 0.0) {
    const double by_size = of_group / all_rows_;
    return by_size < 1.0 ? std::max(0.0, (common / of_class - by_size) / (1.0 - by_size)) : 0.0;
  }
  return 2.0 * std::min(common / rate_, of_group) / (of_group + of_class / rate_);
}

double HiddenClasses::fold_score(const std::vector<double>& gains,
                                 std::size_t groups,
                                 std::size_t fold) const {
  std::vector<std::size_t> kept;
  std::vector<std::size_t> hidden;
  for (std::size_t i = 0; i < classes_.size(); ++i)
    (i % folds_ == fold ? hidden : kept).push_back(i);
  GainTable table(gains, groups);
  if (kept.empty()) return table.match(hidden);
  const double of_kept = table.match(kept);
  return 0.5 * (of_kept + table.match(hidden));
}

}  // namespace opencd
