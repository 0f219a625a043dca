// How far labels say that two prototypes stand for the same class.
//
//   l[k][c] = (n[k][c] + s a[c]) / (r N[k] + s)
//
// is the share of the N[k] rows of prototype k that is of known class c, where n[k][c] of them are labelled with
// it and r is the share of the rows of known classes that is labelled; a[c] is the same over all rows and
// counts like s labelled ones, so that few labels say little. What is left of 1 is of classes without
// labels. Two prototypes agree by the sum of min(l[i][c], l[j][c]), the part without labels included: 1 if
// they are alike, 0 for prototypes of two known classes. So shirts, which nobody labelled, come apart from
// coats, which somebody did: few rows around a shirt have a label.
#pragma once

#include "opencd/prototype_evidence.hpp"

namespace opencd {

/// The affinity, each entry times how far the labels agree. `rate` is r (class_sizes.hpp); with 0 all
/// prototypes agree.
AffinityMatrix affinity_by_labels(const PrototypeEvidence& evidence, double rate);

}  // namespace opencd
