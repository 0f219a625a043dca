// G-means as its paper says it, on the host in double precision: what the counter is held against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace opencd::test {

using Points = std::vector<std::vector<double>>;

inline double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

inline std::vector<double> mean_of(const Points& points) {
  std::vector<double> mean(points.front().size(), 0.0);
  for (const auto& point : points)
    for (std::size_t c = 0; c < mean.size(); ++c)
      mean[c] += point[c] / static_cast<double>(points.size());
  return mean;
}

inline std::vector<std::size_t> nearest(const Points& points, const Points& centres) {
  std::vector<std::size_t> result;
  for (const auto& point : points) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < centres.size(); ++k)
      if (squared_distance(point, centres[k]) < squared_distance(point, centres[best])) best = k;
    result.push_back(best);
  }
  return result;
}

/// Lloyd's iterations until nothing changes.
inline std::vector<std::size_t> lloyd(const Points& points, Points& centres) {
  std::vector<std::size_t> assigned;
  while (true) {
    const std::vector<std::size_t> next = nearest(points, centres);
    if (next == assigned) return assigned;
    assigned = next;
    for (std::size_t k = 0; k < centres.size(); ++k) {
      Points members;
      for (std::size_t i = 0; i < points.size(); ++i)
        if (assigned[i] == k) members.push_back(points[i]);
      if (!members.empty()) centres[k] = mean_of(members);
    }
  }
}

/// The direction of the largest variance and that variance, by power iteration.
inline std::pair<std::vector<double>, double> longest_axis(const Points& points) {
  const std::vector<double> mean = mean_of(points);
  std::vector<double> axis(mean.size());
  for (std::size_t c = 0; c < axis.size(); ++c) axis[c] = 1.0 + 0.01 * static_cast<double>(c);
  double variance = 0.0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<double> next(axis.size(), 0.0);
    for (const auto& point : points) {
      double along = 0.0;
      for (std::size_t c = 0; c < axis.size(); ++c) along += (point[c] - mean[c]) * axis[c];
      for (std::size_t c = 0; c < axis.size(); ++c) next[c] += along * (point[c] - mean[c]);
    }
    double length = 0.0;
    for (const double value : next) length += value * value;
    length = std::sqrt(length);
    double moved = 0.0;
    for (std::size_t c = 0; c < axis.size(); ++c) {
      moved += std::abs(next[c] / length - axis[c]);
      axis[c] = next[c] / length;
    }
    variance = length / static_cast<double>(points.size());
    if (moved < 1e-12) break;
  }
  return {axis, variance};
}

/// A^2 (1 + 4 / n - 25 / n^2) of values about their mean over their deviation.
inline double corrected_anderson_darling(std::vector<double> values) {
  const auto n = static_cast<double>(values.size());
  std::sort(values.begin(), values.end());
  double mean = 0.0;
  for (const double value : values) mean += value / n;
  double variance = 0.0;
  for (const double value : values) variance += (value - mean) * (value - mean) / (n - 1.0);
  const auto distribution = [&](double value) {
    return 0.5 * std::erfc(-(value - mean) / std::sqrt(2.0 * variance));
  };
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += (2.0 * static_cast<double>(i) + 1.0) *
           (std::log(distribution(values[i])) +
            std::log1p(-distribution(values[values.size() - 1 - i])));
  return (-n - sum / n) * (1.0 + 4.0 / n - 25.0 / (n * n));
}

inline bool is_cut(const Points& members, Points& children) {
  if (members.size() < 3) return false;
  const std::vector<double> mean = mean_of(members);
  const auto [axis, variance] = longest_axis(members);
  const double distance = std::sqrt(2.0 * variance / std::numbers::pi);
  children = {mean, mean};
  for (std::size_t c = 0; c < mean.size(); ++c) {
    children[0][c] += distance * axis[c];
    children[1][c] -= distance * axis[c];
  }
  lloyd(members, children);
  std::vector<double> along;
  for (const auto& member : members) {
    double place = 0.0;
    for (std::size_t c = 0; c < mean.size(); ++c)
      place += member[c] * (children[0][c] - children[1][c]);
    along.push_back(place);
  }
  return corrected_anderson_darling(along) > 1.8692;
}

/// The cluster of every row.
inline std::vector<std::int32_t> reference_gmeans(const std::vector<float>& rows,
                                                  std::size_t columns) {
  Points points;
  for (std::size_t first = 0; first < rows.size(); first += columns)
    points.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(first),
                        rows.begin() + static_cast<std::ptrdiff_t>(first + columns));
  Points centres{mean_of(points)};
  std::vector<std::size_t> assigned(points.size(), 0);
  while (true) {
    Points grown;
    for (std::size_t k = 0; k < centres.size(); ++k) {
      Points members;
      for (std::size_t i = 0; i < points.size(); ++i)
        if (assigned[i] == k) members.push_back(points[i]);
      Points children;
      if (is_cut(members, children))
        grown.insert(grown.end(), children.begin(), children.end());
      else
        grown.push_back(centres[k]);
    }
    if (grown.size() == centres.size()) break;
    centres = grown;
    assigned = lloyd(points, centres);
  }
  return {assigned.begin(), assigned.end()};
}

}  // namespace opencd::test
