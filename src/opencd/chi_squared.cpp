#include "opencd/chi_squared.hpp"

#include <cmath>
#include <limits>

namespace opencd {

namespace {

constexpr double kSmall = std::numeric_limits<double>::epsilon();
constexpr int kMostTerms = 10'000;

/// x^a e^-x / Gamma(a), what both forms below are multiples of.
double front(double a, double x) { return std::exp(a * std::log(x) - x - std::lgamma(a)); }

/// The regularised lower incomplete gamma function P(a, x) by its power series, which is short for x < a + 1.
double lower_by_series(double a, double x) {
  double term = 1.0 / a;
  double sum = term;
  for (int n = 1; n < kMostTerms && term > kSmall * sum; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return front(a, x) * sum;
}

/// 1 - P(a, x) by its continued fraction (modified Lentz), which is short elsewhere.
double upper_by_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1.0 - a;
  double c = 1.0 / kTiny;
  double d = 1.0 / b;
  double fraction = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2.0;
    d = 1.0 / (std::abs(numerator * d + b) < kTiny ? kTiny : numerator * d + b);
    c = std::abs(b + numerator / c) < kTiny ? kTiny : b + numerator / c;
    fraction *= d * c;
    if (std::abs(d * c - 1.0) < kSmall) break;
  }
  return front(a, x) * fraction;
}

}  // namespace

double chi_squared_below(double value, double degrees) {
  if (!(value > 0.0)) return 0.0;
  const double a = degrees / 2.0;
  const double x = value / 2.0;
  return x < a + 1.0 ? lower_by_series(a, x) : 1.0 - upper_by_fraction(a, x);
}

}  // namespace opencd
