#include "opencd/kmeans_start.hpp"

#include "kernels/columns.hpp"
#include "kernels/scratch.hpp"
#include "nn/gemm.hpp"
#include "opencd/grouping/random_sequence.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

namespace {

constexpr std::size_t kMostDistances = std::size_t{16} << 20;  // held at a time: 64 MiB

/// Starts drawn side by side.
class SideBySide {
 public:
  SideBySide(const KMeansPoints& points,
             std::span<const float> nearest,
             std::size_t trials,
             std::size_t starts)
      : points_(points),
        trials_(trials),
        starts_(starts),
        rows_(points.device(), starts * trials),
        candidates_(points.device(), starts * trials * (points.dimensions() + 1)),
        distances_(points.device(), points.count() * starts * trials),
        potentials_(points.device(), starts * trials),
        chosen_(points.device(), starts),
        nearest_(points.device(), points.count() * starts),
        scratch_(points.device(), kernels::column_scratch_bytes(points.count(), starts * trials)) {
    for (const float distance : nearest)
      host_nearest_.insert(host_nearest_.end(), starts, distance);
    kernels::copy_to_device<float>(points.device(), host_nearest_, nearest_);
  }

  /// The next row of every start.
  std::vector<std::int32_t> next(std::vector<RandomSequence>& random) {
    std::vector<std::int32_t> rows;
    for (std::size_t start = 0; start < starts_; ++start) draw(start, random[start], rows);
    const std::vector<std::int32_t> best = best_candidates(rows);
    kernels::copy_to_device<std::int32_t>(points_.device(), best, chosen_);
    kernels::keep_candidates(points_.device(), distances(), chosen_,
                             nearest_.rows(points_.count(), starts_));
    kernels::copy_to_host<float>(points_.device(), nearest_, host_nearest_);
    std::vector<std::int32_t> chosen(starts_);
    for (std::size_t start = 0; start < starts_; ++start)
      chosen[start] = rows[static_cast<std::size_t>(best[start])];
    return chosen;
  }

 private:
  Rows<float> distances() const { return distances_.rows(points_.count(), starts_ * trials_); }

  /// Appends the trials of a start: all rows are as likely where there is no centre yet.
  void draw(std::size_t start, RandomSequence& random, std::vector<std::int32_t>& rows) const {
    std::vector<double> reached;
    reached.reserve(points_.count());
    double sum = 0.0;
    for (std::size_t at = start; at < host_nearest_.size(); at += starts_)
      reached.push_back(sum += std::isinf(host_nearest_[at]) ? 1.0 : host_nearest_[at]);
    for (std::size_t trial = 0; trial < trials_; ++trial) {
      const auto found = std::upper_bound(reached.begin(), reached.end() - 1, random.unit() * sum);
      rows.push_back(static_cast<std::int32_t>(found - reached.begin()));
    }
  }

  /// For every start the candidate that leaves the least sum of distances.
  std::vector<std::int32_t> best_candidates(const std::vector<std::int32_t>& rows) {
    kernels::Device& device = points_.device();
    kernels::copy_to_device<std::int32_t>(device, rows, rows_);
    const Rows<float> candidates = candidates_.rows(rows.size(), points_.dimensions() + 1);
    kernels::rows_as_centres(device, points_.points(), points_.squares(), rows_, candidates);
    nn::gemm(points_.engine(), points_.points(), candidates, distances(),
             {.transpose_right = true});
    kernels::candidate_distances(device, points_.squares(), nearest_.rows(points_.count(), starts_),
                                 distances());
    kernels::column_sum(device, scratch_, distances(), potentials_);
    const std::vector<float> potentials = to_host(device, potentials_);
    std::vector<std::int32_t> best;
    for (auto first = potentials.begin(); first != potentials.end();
         first += static_cast<std::ptrdiff_t>(trials_))
      best.push_back(static_cast<std::int32_t>(
          std::min_element(first, first + static_cast<std::ptrdiff_t>(trials_)) -
          potentials.begin()));
    return best;
  }

  const KMeansPoints& points_;
  std::size_t trials_;
  std::size_t starts_;
  Buffer<std::int32_t> rows_;
  Buffer<float> candidates_;  // as centres
  Buffer<float> distances_;   // rows x candidates
  Buffer<float> potentials_;  // their sums
  Buffer<std::int32_t> chosen_;
  Buffer<float> nearest_;  // rows x starts
  kernels::Scratch scratch_;
  std::vector<float> host_nearest_;
};

}  // namespace

std::vector<std::vector<std::int32_t>> starting_rows(const KMeansPoints& points,
                                                     std::span<const float> nearest,
                                                     const StartingRowsOptions& options) {
  const auto starts = static_cast<std::size_t>(options.starts);
  std::vector<std::vector<std::int32_t>> result(starts);
  if (options.centres == 0) return result;
  const std::size_t trials =
      2 + static_cast<std::size_t>(std::log(static_cast<double>(options.centres)));
  const std::size_t together =
      std::clamp<std::size_t>(kMostDistances / (points.count() * trials), 1, starts);
  for (std::size_t first = 0; first < starts; first += together) {
    const std::size_t count = std::min(together, starts - first);
    SideBySide draws(points, nearest, trials, count);
    std::vector<RandomSequence> random;
    for (std::size_t start = first; start < first + count; ++start)
      random.emplace_back(options.seed, start, RandomPurpose::clustering);
    for (std::size_t centre = 0; centre < options.centres; ++centre) {
      const std::vector<std::int32_t> rows = draws.next(random);
      for (std::size_t i = 0; i < count; ++i) result[first + i].push_back(rows[i]);
    }
  }
  return result;
}

}  // namespace opencd
