#include "opencd/metrics.hpp"

#include "error.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

void check_known(const Contingency& table, std::size_t known) {
  if (known > table.classes)
    fail<ShapeError>("[accuracy] expected at most {} known classes, got {}", table.classes, known);
}

/// Rows of the classes first .. last - 1 that are in the group of their class.
Accuracy matched_rows(const Contingency& table,
                      const std::vector<std::int32_t>& group_of_class,
                      std::size_t first,
                      std::size_t last) {
  const std::vector<std::int64_t> rows = table.rows_of_classes();
  Accuracy result;
  for (std::size_t cls = first; cls < last; ++cls) {
    result.rows += rows[cls];
    if (group_of_class[cls] >= 0)
      result.correct += table.at(static_cast<std::size_t>(group_of_class[cls]), cls);
  }
  return result;
}

/// A matching of its own.
Accuracy clustering_accuracy(const Contingency& table) {
  return matched_rows(table, match(table).row_of_column, 0, table.classes);
}

Accuracy operator+(const Accuracy& a, const Accuracy& b) {
  return {a.correct + b.correct, a.rows + b.rows};
}

double entropy(const std::vector<std::int64_t>& counts, double total) {
  double sum = 0.0;
  for (const std::int64_t count : counts)
    if (count > 0) {
      const double share = static_cast<double>(count) / total;
      sum -= share * std::log(share);
    }
  return sum;
}

/// Ordered pairs of different rows within the cells of a table: sum n (n - 1).
double pairs(const std::vector<std::int64_t>& counts) {
  double sum = 0.0;
  for (const std::int64_t count : counts)
    sum += static_cast<double>(count) * static_cast<double>(count - 1);
  return sum;
}

}  // namespace

OpenWorldAccuracy orca_accuracy(const Contingency& table, std::size_t known) {
  check_known(table, known);
  std::vector<std::int32_t> same_index(table.classes, -1);
  for (std::size_t cls = 0; cls < std::min(table.classes, table.groups); ++cls)
    same_index[cls] = static_cast<std::int32_t>(cls);
  return {clustering_accuracy(table), matched_rows(table, same_index, 0, known),
          clustering_accuracy(restrict_classes(table, known, table.classes))};
}

OpenWorldAccuracy gcd_v1_accuracy(const Contingency& table, std::size_t known) {
  check_known(table, known);
  const Accuracy on_known = clustering_accuracy(restrict_classes(table, 0, known));
  const Accuracy on_novel = clustering_accuracy(restrict_classes(table, known, table.classes));
  return {on_known + on_novel, on_known, on_novel};
}

OpenWorldAccuracy gcd_v2_accuracy(const Contingency& table, std::size_t known) {
  check_known(table, known);
  const std::vector<std::int32_t> group_of_class = match(table).row_of_column;
  const Accuracy on_known = matched_rows(table, group_of_class, 0, known);
  const Accuracy on_novel = matched_rows(table, group_of_class, known, table.classes);
  return {on_known + on_novel, on_known, on_novel};
}

double normalized_mutual_information(const Contingency& table) {
  const std::vector<std::int64_t> group_rows = table.rows_of_groups();
  const std::vector<std::int64_t> class_rows = table.rows_of_classes();
  const auto total = static_cast<double>(table.rows());
  const double entropies = entropy(group_rows, total) + entropy(class_rows, total);
  if (entropies == 0.0) return 1.0;
  double information = 0.0;
  for (std::size_t group = 0; group < table.groups; ++group)
    for (std::size_t cls = 0; cls < table.classes; ++cls)
      if (const auto count = static_cast<double>(table.at(group, cls)); count > 0.0)
        information += count / total *
                       std::log(count * total / static_cast<double>(group_rows[group]) /
                                static_cast<double>(class_rows[cls]));
  return std::clamp(2.0 * information / entropies, 0.0, 1.0);
}

double adjusted_rand_index(const Contingency& table) {
  // Of all ordered pairs of rows: together on both sides, on one side only, on neither.
  const auto total = static_cast<double>(table.rows());
  const double both = pairs(table.counts);
  const double only_group = pairs(table.rows_of_groups()) - both;
  const double only_class = pairs(table.rows_of_classes()) - both;
  const double neither = total * (total - 1.0) - both - only_group - only_class;
  if (only_group == 0.0 && only_class == 0.0) return 1.0;
  return 2.0 * (both * neither - only_group * only_class) /
         ((both + only_class) * (only_class + neither) +
          (both + only_group) * (only_group + neither));
}

std::vector<ClassScore> class_scores(const Contingency& table) {
  const std::vector<std::int64_t> group_rows = table.rows_of_groups();
  const std::vector<std::int64_t> class_rows = table.rows_of_classes();
  const std::vector<std::int32_t> group_of_class = match(table).row_of_column;
  std::vector<ClassScore> scores(table.classes);
  for (std::size_t cls = 0; cls < table.classes; ++cls) {
    scores[cls].group = group_of_class[cls];
    scores[cls].rows = class_rows[cls];
    if (group_of_class[cls] < 0) continue;
    const auto group = static_cast<std::size_t>(group_of_class[cls]);
    scores[cls].group_rows = group_rows[group];
    scores[cls].correct = table.at(group, cls);
  }
  return scores;
}

ConfusionMatrix confusion_matrix(const Contingency& table) {
  const Assignment pairs_of_groups = match(table);
  ConfusionMatrix result;
  for (const std::int32_t group : pairs_of_groups.row_of_column)
    if (group >= 0) result.groups.push_back(group);
  for (std::size_t group = 0; group < table.groups; ++group)
    if (pairs_of_groups.column_of_row[group] < 0)
      result.groups.push_back(static_cast<std::int32_t>(group));
  result.counts.reserve(table.counts.size());
  for (std::size_t cls = 0; cls < table.classes; ++cls)
    for (const std::int32_t group : result.groups)
      result.counts.push_back(table.at(static_cast<std::size_t>(group), cls));
  return result;
}

}  // namespace opencd
