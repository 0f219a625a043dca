#include "opencd/counting/dip_test.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace opencd {

namespace {

/// Places of corners of a hull, from one end of the modal interval to the other.
using Hull = std::vector<std::size_t>;

/// Both hulls of the empirical distribution function, which rises by 1 at every value: the greatest
/// convex minorant below it and the least concave majorant above it.
class DipSearch {
 public:
  explicit DipSearch(std::span<const double> sorted)
      : x_(sorted), previous_corner_(sorted.size()), next_corner_(sorted.size()) {
    find_corners();
  }

  /// In steps of the distribution function, twice the dip.
  double run() {
    std::size_t low = 0;
    std::size_t high = x_.size() - 1;
    double dip = 0.0;
    while (true) {
      const Hull minorant = minorant_from(high, low);
      const Hull majorant = majorant_from(low, high);
      const Gap gap = widest_gap(minorant, majorant);
      if (gap.width < dip) return dip;  // no narrower interval can do worse
      dip =
          std::max({dip, steps_over(minorant, gap.minorant), steps_under(majorant, gap.majorant)});
      const std::size_t new_low = minorant[gap.minorant];
      const std::size_t new_high = majorant[gap.majorant];
      if (low == new_low && high == new_high) return dip;
      low = new_low;
      high = new_high;
    }
  }

 private:
  /// Where majorant and minorant are farthest apart: corners that bound the next modal interval.
  struct Gap {
    double width = 0.0;
    std::size_t minorant = 0;
    std::size_t majorant = 0;
  };

  double width(std::size_t from, std::size_t to) const { return x_[to] - x_[from]; }
  static double steps(std::size_t from, std::size_t to) { return static_cast<double>(to - from); }

  /// For every place the corner before it on the minorant of all values up to it, and the corner
  /// after it on the majorant of all values from it on.
  void find_corners() {
    const std::size_t last = x_.size() - 1;
    for (std::size_t j = 1; j <= last; ++j) {
      std::size_t corner = j - 1;
      while (corner != 0) {
        const std::size_t before = previous_corner_[corner];
        if (width(corner, j) * steps(before, corner) < width(before, corner) * steps(corner, j))
          break;
        corner = before;
      }
      previous_corner_[j] = corner;
    }
    next_corner_[last] = last;
    for (std::size_t j = last; j-- > 0;) {
      std::size_t corner = j + 1;
      while (corner != last) {
        const std::size_t after = next_corner_[corner];
        if (width(j, corner) * steps(corner, after) < width(corner, after) * steps(j, corner))
          break;
        corner = after;
      }
      next_corner_[j] = corner;
    }
  }

  Hull minorant_from(std::size_t high, std::size_t low) const {
    Hull hull{high};
    while (hull.back() > low) hull.push_back(previous_corner_[hull.back()]);
    return hull;
  }

  Hull majorant_from(std::size_t low, std::size_t high) const {
    Hull hull{low};
    while (hull.back() < high) hull.push_back(next_corner_[hull.back()]);
    return hull;
  }

  /// Walks the corners of both hulls from low to high, each time to the nearer one.
  Gap widest_gap(const Hull& minorant, const Hull& majorant) const {
    Gap widest{0.0, minorant.size() - 1, majorant.size() - 1};
    if (minorant.size() == 2 && majorant.size() == 2) return widest;
    std::size_t m = minorant.size() - 2;  // the next corner of the minorant, which runs downwards
    std::size_t a = 1;                    // and of the majorant
    while (true) {
      const std::size_t below = minorant[m];
      const std::size_t above = majorant[a];
      Gap gap;
      if (below > above) {  // a corner of the majorant over an edge of the minorant
        const std::size_t from = minorant[m + 1];
        gap = {
            steps(from, above + 1) - width(from, above) * steps(from, below) / width(from, below),
            m + 1, a};
        ++a;
      } else {  // a corner of the minorant under an edge of the majorant
        const std::size_t from = majorant[a - 1];
        gap = {
            width(from, below) * steps(from, above) / width(from, above) - steps(from, below) + 1.0,
            m, a};
        m = m == 0 ? 0 : m - 1;
      }
      if (gap.width >= widest.width) widest = gap;
      a = std::min(a, majorant.size() - 1);
      if (minorant[m] == majorant[a]) return widest;
    }
  }

  /// How far the function rises above the minorant between its corners from `corner` on.
  double steps_over(const Hull& minorant, std::size_t corner) const {
    double most = 0.0;
    for (; corner + 1 < minorant.size(); ++corner)
      most = std::max(most, over_edge(minorant[corner + 1], minorant[corner], 1.0));
    return most;
  }

  /// How far it falls below the majorant.
  double steps_under(const Hull& majorant, std::size_t corner) const {
    double most = 0.0;
    for (; corner + 1 < majorant.size(); ++corner)
      most = std::max(most, over_edge(majorant[corner], majorant[corner + 1], -1.0));
    return most;
  }

  /// The largest distance between the function and the straight line from one place to another,
  /// above it (sign 1) or below it (-1); a step where there is nothing between.
  double over_edge(std::size_t from, std::size_t to, double sign) const {
    double most = 1.0;
    if (to - from <= 1 || x_[from] == x_[to]) return most;
    const double slope = steps(from, to) / width(from, to);
    for (std::size_t i = from; i <= to; ++i)
      most = std::max(most, 1.0 + sign * (steps(from, i) - width(from, i) * slope));
    return most;
  }

  std::span<const double> x_;
  std::vector<std::size_t> previous_corner_;
  std::vector<std::size_t> next_corner_;
};

}  // namespace

double dip_statistic(std::span<const double> sorted) {
  if (sorted.empty() || sorted.front() == sorted.back()) return 0.0;
  return DipSearch(sorted).run() / (2.0 * static_cast<double>(sorted.size()));
}

double dip_p_value(double dip, std::size_t count) {
  constexpr double kCertain = 100.0;  // exponents that leave nothing but 1
  const double b = 17.30784022 * std::sqrt(static_cast<double>(count)) + 12.04917889;
  const double exponent = 6.5 - b * dip;
  if (exponent > kCertain) return 1.0;
  const double e = std::exp(exponent);
  return 1.0 -
         1.0 / (0.6 * std::pow(1.0 + 1.6 * e, 1.0 / 1.6) + 0.4 * std::pow(1.0 + 0.2 * e, 5.0));
}

}  // namespace opencd
