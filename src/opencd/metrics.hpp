// Scores of predicted groups against true classes. Classes 0 .. known - 1 are the known ones. Three
// accuracy protocols are in use and give different numbers; each is named here.
//
// Nothing here is ever NaN: an accuracy over no rows is 0 of 0 rows and reads as 0.
#pragma once

#include "opencd/contingency.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opencd {

struct Accuracy {
  std::int64_t correct = 0;
  std::int64_t rows = 0;

  double fraction() const {
    return rows == 0 ? 0.0 : static_cast<double>(correct) / static_cast<double>(rows);
  }
};

struct OpenWorldAccuracy {
  Accuracy all;
  Accuracy known;
  Accuracy novel;
};

/// ORCA and OpenNCD. Known: group index equals class index. Novel: matching on novel rows alone.
/// All: a matching of its own on all rows, so All is not the mean of the other two.
OpenWorldAccuracy orca_accuracy(const Contingency& table, std::size_t known);
/// GCD "v1": one matching on the known rows, one on the novel rows; All is their sum.
OpenWorldAccuracy gcd_v1_accuracy(const Contingency& table, std::size_t known);
/// GCD "v2": one matching on all rows, read for known and novel rows.
OpenWorldAccuracy gcd_v2_accuracy(const Contingency& table, std::size_t known);

/// 2 I / (H(groups) + H(classes)); 1 where both sides have a single value or there are no rows.
double normalized_mutual_information(const Contingency& table);
/// Hubert and Arabie; 1 for equal partitions, about 0 for independent ones, may be negative.
double adjusted_rand_index(const Contingency& table);

/// One class and the group that a matching over all rows gives it.
struct ClassScore {
  std::int32_t group = -1;      // -1: more classes than groups, and this one went without
  std::int64_t rows = 0;        // of the class
  std::int64_t group_rows = 0;  // of its group
  std::int64_t correct = 0;     // in both

  Accuracy recall() const { return {correct, rows}; }
  Accuracy precision() const { return {correct, group_rows}; }
};

std::vector<ClassScore> class_scores(const Contingency& table);

/// counts[c * groups.size() + i] rows of class c are in groups[i]. Columns: the groups matched to
/// the classes 0, 1, ..., so that pairs stand on the diagonal, then the unmatched groups.
struct ConfusionMatrix {
  std::vector<std::int32_t> groups;
  std::vector<std::int64_t> counts;
};

ConfusionMatrix confusion_matrix(const Contingency& table);

}  // namespace opencd
