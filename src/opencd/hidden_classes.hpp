// How well a grouping recovers classes that nobody told it of: known classes are hidden in turn, as if
// they were novel, and the groups must recover both those that are kept and those that are hidden.
//
//   score of a fold = mean of two gains, averaged over classes:
//     of the kept classes, each matched to a group of its own (Hungarian);
//     of the hidden classes, matched to the groups that are left.
//
// A class that is split loses what is outside its group; of classes that are merged only one finds the
// group. The gain of a class in a group is their F-measure, where it is known at which rate rows are
// labelled (class_sizes.hpp): then a group that also holds rows of new classes gains less,
//
//   2 common / (rows of the group + rows of the class),  common = labelled rows of both / rate.
//
// Else it is the share of the class that is in the group, corrected for what a group holds by its mere
// size: (share of the class - share of all rows) / (1 - share of all rows).
#pragma once

#include "opencd/grouping/grouping.hpp"
#include "opencd/prototype_evidence.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opencd {

class HiddenClasses {
 public:
  /// `evidence` must outlive this. There are as many folds as classes with rows, `most_folds` at most.
  /// `rate`: the share of the rows of known classes that is labelled; 0: unknown.
  HiddenClasses(const PrototypeEvidence& evidence, int most_folds, double rate = 0.0);

  /// Those that have labelled rows.
  std::size_t classes() const { return classes_.size(); }
  /// Of 0 to 1, the mean over the folds; there must be classes.
  double score(const Grouping& grouping) const;

 private:
  std::vector<double> gains(const Grouping& grouping) const;
  double gain(double common, double of_class, double of_group) const;
  double fold_score(const std::vector<double>& gains, std::size_t groups, std::size_t fold) const;

  const PrototypeEvidence& evidence_;
  std::vector<std::size_t> classes_;
  std::vector<double> rows_of_class_;  // labelled, of `classes_`
  double all_rows_ = 0.0;
  double rate_ = 0.0;
  std::size_t folds_ = 0;
};

}  // namespace opencd
