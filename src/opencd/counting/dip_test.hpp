// The dip test of Hartigan and Hartigan ("The dip test of unimodality", Annals of Statistics 1985):
// how far a sample is from having one mode.
#pragma once

#include <cstddef>
#include <span>

namespace opencd {

/// The largest distance between the empirical distribution function of `sorted` and the unimodal
/// one that is nearest to it; from 0 to 1/4. Ascending and finite; 0 where all are equal.
double dip_statistic(std::span<const double> sorted);

/// The probability of a dip as large as this in `count` values of one mode, in the closed form that
/// replaces the tables (Bauer et al., "Extension of the dip-test repertoire", SDM 2023):
///   p = 1 - 1 / (0.6 (1 + 1.6 e)^(1 / 1.6) + 0.4 (1 + 0.2 e)^(1 / 0.2)),
///   e = exp(6.5 - b dip),   b = 17.30784 sqrt(count) + 12.04918
double dip_p_value(double dip, std::size_t count);

}  // namespace opencd
