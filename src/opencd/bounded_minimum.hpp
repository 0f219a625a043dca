// The least value of a function of one variable between two bounds, by Brent's method: parabolas
// through the best points so far, golden sections where they lead nowhere (R. P. Brent, "Algorithms
// for Minimization without Derivatives", 1973, chapter 5).
#pragma once

#include <functional>

namespace opencd {

struct BoundedMinimumOptions {
  double low = 0.0;
  double high = 1.0;
  double tolerance = 1e-5;  // of the place
  int most_calls = 500;
};

struct BoundedMinimum {
  double place = 0.0;
  double value = 0.0;
  int calls = 0;
};

/// A minimum; the least one if there is only one.
BoundedMinimum bounded_minimum(const std::function<double(double)>& function,
                               const BoundedMinimumOptions& options);

}  // namespace opencd
