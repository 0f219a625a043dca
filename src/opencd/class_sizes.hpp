// The number of classes by their sizes: as many as an average known class fits into all rows, if new
// classes are as large as known ones on average.
//
// How large a known class is follows from its labelled rows and the share of its rows that is labelled.
// That share is no less than labelled rows are of all rows wherever one looks, and about as much where a
// class is by itself: it is measured where the labelled rows of one class lie densest, over as many
// prototypes as make the lower end of the estimate highest. One class that is well apart is enough.
//
// Where somebody chose how many rows of each class to label, these numbers say nothing about sizes. Then
// they are more alike than a random choice of rows would leave them; so the less likely it is that chance
// made numbers as much alike, the less they are believed.
#pragma once

#include "opencd/prototype_evidence.hpp"

#include <optional>
#include <span>

namespace opencd {

struct NumberBySize {
  double number = 0.0;
  double error = 0.0;   // standard error of its logarithm
  double rate = 0.0;    // share of the rows of known classes that is labelled
  double belief = 0.0;  // from 0, somebody chose so many labels of each class, to 1: chance did
};

/// Share of the rows of known classes that is labelled, as above; 0 if no row is.
double labelled_rate(std::span<const PrototypeEvidence> sets);

/// Nothing where fewer than two classes have labels.
std::optional<NumberBySize> number_by_size(std::span<const PrototypeEvidence> sets);

}  // namespace opencd
