#include "opencd/class_sizes.hpp"

#include "opencd/chi_squared.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace opencd {

namespace {

constexpr double kErrorOfRate = 0.1;     // no region is quite pure
constexpr double kLeastDeviation = 0.4;  // of sizes, over their mean: few classes do not show it
// Chance of numbers of labels this much alike, among classes of one size, at which one may as well believe
// that somebody chose them.
constexpr double kDoubt = 0.02;
constexpr double kLeastUnlabelled =
    0.1;  // share of rows; of almost all, hardly any choice was left

/// Labelled rows of a class per row, where they lie densest.
struct Density {
  double rate = 0.0;      // its lower end: one standard error below what was counted
  double labelled = 0.0;  // rows that it was counted from
};

Density densest(const PrototypeEvidence& evidence, std::size_t cls) {
  std::vector<std::size_t> order(evidence.prototypes());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto labelled = [&](std::size_t k) {
    return static_cast<double>(evidence.labelled.at(k, cls));
  };
  std::erase_if(order, [&](std::size_t k) { return labelled(k) == 0.0; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return labelled(a) * evidence.rows[b] > labelled(b) * evidence.rows[a];
  });
  Density best;
  double found = 0.0;
  double rows = 0.0;
  for (const std::size_t k : order) {
    found += labelled(k);
    rows += evidence.rows[k];
    const double rate = (found - std::sqrt(found)) / rows;
    if (rate > best.rate) best = {rate, found};
  }
  return best;
}

/// The mean over the sets.
Density densest(std::span<const PrototypeEvidence> sets, std::size_t cls) {
  Density mean;
  for (const PrototypeEvidence& set : sets) {
    const Density density = densest(set, cls);
    mean.rate += density.rate / static_cast<double>(sets.size());
    mean.labelled += density.labelled / static_cast<double>(sets.size());
  }
  return mean;
}

/// That of the class that is most by itself.
Density purest(std::span<const PrototypeEvidence> sets) {
  Density best;
  for (std::size_t cls = 0; cls < sets.front().labelled.classes; ++cls) {
    const Density density = densest(sets, cls);
    if (density.rate > best.rate) best = density;
  }
  return best;
}

double rate_of(const Density& density) { return std::min(1.0, density.rate); }

/// How far numbers of labels are to be believed to tell sizes: from 0, where they are all the same, to
/// nearly 1 for numbers that a random choice of rows makes, from classes of one size or not. `squares` is
/// the sum of their squared deviations from their mean.
double belief(double squares, double mean, double classes, double rate) {
  const double of_chance = mean * std::max(kLeastUnlabelled, 1.0 - rate);
  const double chance = chi_squared_below(squares / of_chance, classes - 1.0);
  return chance / (chance + kDoubt);
}

}  // namespace

double labelled_rate(std::span<const PrototypeEvidence> sets) { return rate_of(purest(sets)); }

std::optional<NumberBySize> number_by_size(std::span<const PrototypeEvidence> sets) {
  const std::vector<std::int64_t> labelled = sets.front().labelled.rows_of_classes();
  const Density best = purest(sets);
  double sum = 0.0;
  double squares = 0.0;
  double known = 0.0;
  for (const std::int64_t of_class : labelled) {
    if (of_class == 0) continue;
    const auto rows = static_cast<double>(of_class);
    known += 1.0;
    sum += rows;
    squares += rows * rows;
  }
  if (known < 2.0 || best.rate == 0.0) return std::nullopt;
  const double mean = sum / known;
  const double variance = (squares - sum * mean) / (known - 1.0);

  const std::vector<double>& rows = sets.front().rows;
  const double all = std::accumulate(rows.begin(), rows.end(), 0.0);
  const double rate = rate_of(best);
  const double number = all * rate / mean;
  const double novel = std::max(1.0, number - known);
  const double deviation = std::max(kLeastDeviation, std::sqrt(variance) / mean);
  const double of_sizes = deviation * deviation * (1.0 / known + 1.0 / novel);
  return NumberBySize{
      .number = number,
      .error = std::sqrt(kErrorOfRate * kErrorOfRate + of_sizes + 1.0 / best.labelled),
      .rate = rate,
      .belief = belief(squares - sum * mean, mean, known, rate)};
}

}  // namespace opencd
