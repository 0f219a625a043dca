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
// One set of prototypes is one way to cut up the features, and the score of its candidates depends on
// how the cuts happen to fall: on real features the best number was 8 for one set and 15 for another.
// So several sets are asked, and the score s(n) of a number of groups is the mean over the sets.
// Every candidate of every set then votes for its number, with the weight exp((s(n) - best) / e), e
// being two standard errors of the best score; resolutions are evenly spread on the logarithmic
// scale, so that a number that holds over a long stretch of them has many votes. The count is the
// number below which 35 of 100 votes lie, because a class that is split loses more than two that are
// merged; nine tenths of the votes make the interval. Resolutions below 1, where groups are
// coarser than modularity itself has them, vote only if the labels demand them.
//
// Without labels all votes weigh the same, over resolutions of 1 and more and up to half as many
// groups as prototypes: beyond that prototypes are by themselves and say nothing about classes. The
// number with the most votes is taken. On planted classes with five or more prototypes each it found
// the number within a fifth, also where modularity at resolution 1 found an eighth of it (100 classes,
// 500 prototypes); with fewer prototypes a class it finds too few, and labels are needed.
#pragma once

#include "opencd/grouping/grouping.hpp"
#include "opencd/prototype_evidence.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace opencd {

struct ClassCountOptions {
  int candidates = 64;  // resolutions tried, per set
  int folds = 10;       // at most; one hidden class each where there are fewer classes
  int starts = 5;       // of Louvain, per candidate
  std::uint32_t seed = 0;
};

/// What decided.
enum class ClassCountRule { hidden_classes, stability };

struct ClassCount {
  std::size_t found = 0;
  std::size_t least = 0;  // the interval
  std::size_t most = 0;
  /// Of all prototypes of the first set, dead ones included: the candidate whose number of groups
  /// that have rows is nearest to `found`. (A group of dead prototypes is no class.)
  Grouping grouping;
  std::size_t own = 0;  // that number
  double score = 0.0;   // mean recall of kept and hidden classes; 0 without labels
  ClassCountRule rule = ClassCountRule::stability;
};

/// The first of `sets` is the one that is grouped. There may be no labelled rows, and classes may be
/// without any. There are at least as many groups as classes with labelled rows where any candidate
/// has that many.
ClassCount count_classes(std::span<const PrototypeEvidence> sets,
                         const ClassCountOptions& options = {});

}  // namespace opencd
