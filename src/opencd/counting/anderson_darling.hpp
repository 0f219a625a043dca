// The test of Anderson and Darling whether values come from a normal distribution of unknown mean
// and variance, as G-means asks it.
#pragma once

#include <cstddef>
#include <span>

namespace opencd {

/// A^2 = -n - 1/n sum_i (2i - 1) (ln F(y_i) + ln(1 - F(y_(n+1-i)))), y being `sorted` about its
/// mean over its standard deviation (n - 1). Ascending and finite; 0 for fewer than 2 values or
/// equal ones.
double anderson_darling(std::span<const double> sorted);

/// The probability of so large an A^2 in `count` normal values, by the formulas of D'Agostino and
/// Stephens ("Goodness-of-fit techniques", 1986) for A^2 (1 + 0.75 / n + 2.25 / n^2).
double anderson_darling_p_value(double statistic, std::size_t count);

}  // namespace opencd
