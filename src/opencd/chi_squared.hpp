// The distribution of chi squared: how likely a sum of squared deviations as small as the one seen is.
#pragma once

namespace opencd {

/// The chance of at most `value` with so many degrees of freedom; 0 for values of 0 or less.
double chi_squared_below(double value, double degrees);

}  // namespace opencd
