// How many classes there are, when nobody knows: `--classes auto`. Three witnesses are heard, and there is
// no range to set.
//
// The graph: Louvain's resolution is swept over all that it can mean for it, from few groups to every
// prototype by itself, evenly spread on the logarithmic scale. Every candidate votes for its number of
// groups, so that a number that holds over a long stretch of resolutions has many votes. Where classes
// are well apart the stretch of the right number is by far the longest; on features of real pictures
// many numbers have about as many votes. Resolutions below 1, where groups are coarser than modularity
// itself has them, vote only if the labels demand them.
//
// The known classes: s(n) is how well n spectral groups recover them while some are hidden in turn, as
// if they were novel (recovery_curve.hpp). On real features s has its peak near the right number; where
// classes are well apart it has a plateau, for numbers at which only classes without labels are merged.
//
// Their sizes: as many classes as an average known one fits into all rows (class_sizes.hpp). That is a
// rough measure, but one that close neighbours of a known class, a truck beside cars, do not mislead.
//
// One set of prototypes is one way to cut up the features, and what it says depends on how the cuts
// happen to fall: on real features the best number was 8 for one set and 15 for another. So several
// sets vote, and s(n) is the mean over them.
//
//   weight(n) = (share of the votes for n + u(n)) exp((s(n) - best s) / e) exp(-b (ln(n / n') / e')^2 / 2)
//
// with u(n) in proportion to 1 / n and 0.2 in sum, so that no number is out of question for want of
// votes; e two and a half standard errors of the best s; n' the number by sizes, e' its error and b, from
// 0 to 1, how far it is believed. The count is the number in the middle of the weight, nine tenths of the
// weight make the interval.
//
// Without labels, or with those of one class, which any merger recovers, only votes are left, of
// resolutions of 1 and more and up to half as many groups as prototypes: beyond that prototypes are by
// themselves and say nothing about classes. On planted classes with five or more prototypes each that
// finds the number within a fifth, also where modularity at resolution 1 finds an eighth of it (100
// classes, 500 prototypes); with fewer prototypes a class it finds too few, and labels are needed.
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
  double score = 0.0;   // s(found); 0 if only the graph decided
  ClassCountRule rule = ClassCountRule::stability;
};

/// The first of `sets` is the one that is grouped. There may be no labelled rows, and classes may be
/// without any. There are at least as many groups as classes with labelled rows where any candidate
/// has that many.
ClassCount count_classes(std::span<const PrototypeEvidence> sets,
                         const ClassCountOptions& options = {});

}  // namespace opencd
