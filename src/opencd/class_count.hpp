// How many classes there are, when nobody knows: `--classes auto`. Louvain's resolution is swept
// over all that it can mean for the graph at hand, from few groups to every prototype by itself, so
// that there is no range to set. Which resolution is right is asked of the known classes: some of
// them are hidden in turn, as if they were novel, and the groups must recover both those that are
// kept and those that are hidden.
//
//   score of a candidate in a fold = mean of two recalls, averaged over classes:
//     of the kept classes, each matched to a group of its own (Hungarian);
//     of the hidden classes, matched to the groups that are left.
//   A class that is split loses what is outside its group; of classes that are merged only one finds
//   the group.
//
// Candidates whose mean score is within half a standard error of the best (of folds and of labelled
// rows together) are equally good. Among them the number of groups that holds over the longest
// stretch of resolutions, on the logarithmic scale, is taken as real; with a whole standard error it
// was too often a number of a longer stretch that recovers fewer (13 instead of 10 for Fashion-MNIST).
// The interval holds all numbers within two standard errors. Resolutions below 1, where groups are
// coarser than modularity itself has them, count only if the labels demand them.
//
// Without labels the longest stretch decides alone, over resolutions of 1 and more and up to half as
// many groups as prototypes: beyond that prototypes are by themselves and say nothing about classes.
// On planted classes with five or more prototypes each it found the number within a fifth, also where
// modularity at resolution 1 found an eighth of it (100 classes, 500 prototypes); with fewer
// prototypes a class it finds too few, and labels are needed.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/contingency.hpp"
#include "opencd/grouping/grouping.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace opencd {

struct ClassCountOptions {
  int candidates = 64;  // resolutions tried
  int folds = 10;       // at most; one hidden class each where there are fewer classes
  int starts = 5;       // of Louvain, per candidate
  std::uint32_t seed = 0;
};

/// What decided.
enum class ClassCountRule { hidden_classes, stability };

struct ClassCount {
  std::size_t found = 0;  // groups that have rows: a group of dead prototypes is no class
  std::size_t least = 0;  // the interval: the fewest and the most groups of equally good candidates
  std::size_t most = 0;
  Grouping grouping;  // of all prototypes, dead ones included
  double resolution = 0.0;
  double score = 0.0;  // mean recall of kept and hidden classes; 0 without labels
  ClassCountRule rule = ClassCountRule::stability;
};

/// `labelled` counts labelled rows by nearest prototype and known class; it may have no rows, and
/// classes may be without any. rows_of_prototype[k] of all rows, labelled or not, are nearest to
/// prototype k. There are at least as many groups as classes with labelled rows where any candidate
/// has that many.
ClassCount count_classes(const AffinityMatrix& affinity,
                         const Contingency& labelled,
                         std::span<const std::int64_t> rows_of_prototype,
                         const ClassCountOptions& options = {});

}  // namespace opencd
