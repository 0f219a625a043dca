#include "opencd/tsne_affinities.hpp"

#include "error.hpp"

#include <cmath>
#include <numeric>

namespace opencd {

namespace {

/// The transpose of a matrix whose rows have k entries each.
struct Transpose {
  std::vector<std::size_t> starts;
  std::vector<std::int32_t> columns;  // ascending within a row
  std::vector<float> values;

  Transpose(std::span<const std::int32_t> nearest,
            std::span<const float> conditional,
            std::size_t rows)
      : starts(rows + 1, 0), columns(nearest.size()), values(nearest.size()) {
    for (const std::int32_t column : nearest) ++starts[static_cast<std::size_t>(column) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    const std::size_t k = nearest.size() / rows;
    for (std::size_t at = 0; at < nearest.size(); ++at) {
      const std::size_t place = next[static_cast<std::size_t>(nearest[at])]++;
      columns[place] = static_cast<std::int32_t>(at / k);
      values[place] = conditional[at];
    }
  }
};

}  // namespace

TsneAffinities symmetric_affinities(std::span<const std::int32_t> nearest,
                                    std::span<const float> conditional,
                                    std::size_t rows) {
  if (rows == 0 || nearest.size() % rows != 0 || nearest.size() != conditional.size())
    fail<ShapeError>("[t-SNE] expected as many affinities as neighbours of {} rows, got {} of {}",
                     rows, conditional.size(), nearest.size());
  const Transpose transpose(nearest, conditional, rows);
  const std::size_t k = nearest.size() / rows;
  const float share = 0.5f / static_cast<float>(rows);
  TsneAffinities result;
  result.starts.push_back(0);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t own = row * k;
    std::size_t other = transpose.starts[row];
    const std::size_t own_end = own + k;
    const std::size_t other_end = transpose.starts[row + 1];
    while (own < own_end || other < other_end) {  // merges two ascending lists
      const bool takes_own =
          other == other_end || (own < own_end && nearest[own] <= transpose.columns[other]);
      const bool takes_other =
          own == own_end || (other < other_end && transpose.columns[other] <= nearest[own]);
      result.columns.push_back(takes_own ? nearest[own] : transpose.columns[other]);
      result.values.push_back(share * ((takes_own ? conditional[own] : 0.0f) +
                                       (takes_other ? transpose.values[other] : 0.0f)));
      own += takes_own ? 1 : 0;
      other += takes_other ? 1 : 0;
    }
    result.starts.push_back(static_cast<std::int32_t>(result.columns.size()));
  }
  return result;
}

double kl_divergence(const TsneAffinities& affinities, std::span<const float> map, double weight) {
  const std::size_t rows = affinities.rows();
  const std::span<const float> first = map.first(rows);
  const std::span<const float> second = map.last(rows);
  double sum = 0.0;
  for (std::size_t row = 0; row < rows; ++row)
    for (auto at = static_cast<std::size_t>(affinities.starts[row]);
         at < static_cast<std::size_t>(affinities.starts[row + 1]); ++at) {
      const double p = affinities.values[at];
      if (p <= 0.0) continue;
      const auto j = static_cast<std::size_t>(affinities.columns[at]);
      const double a = static_cast<double>(first[row]) - first[j];
      const double b = static_cast<double>(second[row]) - second[j];
      sum += p * std::log(p * weight * (1.0 + a * a + b * b));
    }
  return sum;
}

}  // namespace opencd
