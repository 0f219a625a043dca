#include "opencd/tsne.hpp"

#include "kernels/columns.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/nearest_rows.hpp"
#include "kernels/tsne.hpp"
#include "nn/gemm.hpp"
#include "opencd/interrupted.hpp"
#include "opencd/principal_start.hpp"
#include "opencd/tsne_affinities.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace opencd {

namespace {

using kernels::Buffer;
using kernels::Device;
using kernels::Rows;

constexpr std::size_t kMostProducts = std::size_t{8} << 20;  // held at a time: 32 MiB
constexpr float kFirstMomentum = 0.5f;                       // while affinities are exaggerated
constexpr float kMomentum = 0.8f;
constexpr double kLeastLearningRate = 50.0;

void check(std::span<const float> rows, std::size_t columns, const TsneOptions& options) {
  if (columns == 0 || rows.empty() || rows.size() % columns != 0)
    fail<UsageError>("[t-SNE] expected rows of {} values, got {} values", columns, rows.size());
  if (rows.size() / columns > kMostTsneRows)
    fail<UsageError>("[t-SNE] expected at most {} rows, got {}; take a sample of them",
                     kMostTsneRows, rows.size() / columns);
  if (!(options.perplexity >= 1.0) || !std::isfinite(options.perplexity))
    fail<UsageError>("[t-SNE] expected a perplexity of 1 or more, got {}", options.perplexity);
  if (!(options.early_exaggeration >= 1.0) || !std::isfinite(options.early_exaggeration))
    fail<UsageError>("[t-SNE] expected an exaggeration of 1 or more, got {}",
                     options.early_exaggeration);
  if (options.iterations < 0 || options.exaggerated_iterations < 0)
    fail<UsageError>("[t-SNE] expected iterations, got {} and {} of them exaggerated",
                     options.iterations, options.exaggerated_iterations);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!std::isfinite(rows[i]))
      fail<NonFiniteError>("[t-SNE] expected finite rows, row {} has {} in column {}", i / columns,
                           rows[i], i % columns);
}

/// Rows about their mean and in a unit in which their mean squared length is 1, so that neither a
/// shift nor a scale of the rows costs digits. The map depends on neither.
std::vector<float> standardised(std::span<const float> rows, std::size_t columns) {
  const std::size_t count = rows.size() / columns;
  std::vector<double> mean(columns, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) mean[i % columns] += rows[i];
  for (double& value : mean) value /= static_cast<double>(count);
  double squares = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double value = rows[i] - mean[i % columns];
    squares += value * value;
  }
  const double scale = squares > 0.0 ? std::sqrt(static_cast<double>(count) / squares) : 1.0;
  std::vector<float> result(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    result[i] = static_cast<float>(scale * (rows[i] - mean[i % columns]));
  return result;
}

std::vector<float> squared_lengths(const std::vector<float>& rows, std::size_t columns) {
  std::vector<float> squares(rows.size() / columns);
  for (std::size_t row = 0; row < squares.size(); ++row) {
    const float* x = rows.data() + row * columns;
    squares[row] = static_cast<float>(std::inner_product(x, x + columns, x, 0.0));
  }
  return squares;
}

/// The k nearest others of every row.
Buffer<std::int32_t> find_nearest(const nn::Engine& engine,
                                  Rows<const float> points,
                                  const std::vector<float>& squares,
                                  std::size_t k) {
  Device& device = engine.device();
  const std::size_t block = std::clamp<std::size_t>(kMostProducts / points.rows, 1, points.rows);
  const Buffer<float> device_squares = kernels::to_device(device, squares);
  const Buffer<float> products(device, block * points.rows);
  const Buffer<float> radii(device, block);
  const Buffer<std::int32_t> on_edge(device, block);
  Buffer<std::int32_t> nearest(device, points.rows * k);
  for (std::size_t first = 0; first < points.rows; first += block) {
    const std::size_t count = std::min(block, points.rows - first);
    const Rows<const float> some{points.data + first * points.columns, count, points.columns};
    const Rows<float> with_all{products.data(), count, points.rows};
    nn::gemm(engine, some, points, with_all, {.transpose_right = true});
    kernels::nearest_rows(device, device_squares, first, with_all, radii.view().slice(0, count),
                          on_edge.view().slice(0, count), {nearest.data() + first * k, count, k});
  }
  device.wait();
  return nearest;
}

TsneAffinities find_affinities(const nn::Engine& engine,
                               Rows<const float> points,
                               const std::vector<float>& squares,
                               double perplexity) {
  Device& device = engine.device();
  const auto others = static_cast<double>(points.rows - 1);
  perplexity = std::max(1.0, std::min(perplexity, others / 3.0));
  const auto k = static_cast<std::size_t>(std::min(others, std::ceil(3.0 * perplexity)));
  const Buffer<std::int32_t> nearest = find_nearest(engine, points, squares, k);
  const Buffer<float> affinities(device, points.rows * k);
  const Rows<float> of_rows = affinities.rows(points.rows, k);
  kernels::neighbour_distances(device, points, nearest.rows(points.rows, k), of_rows);
  kernels::conditional_affinities(device, of_rows, static_cast<float>(perplexity));
  return symmetric_affinities(to_host(device, nearest), to_host(device, affinities), points.rows);
}

/// Points of the map, their forces and their way.
class Descent {
 public:
  Descent(Device& device, const TsneAffinities& affinities, const std::vector<float>& start)
      : device_(device),
        rows_(affinities.rows()),
        starts_(kernels::to_device(device, affinities.starts)),
        columns_(kernels::to_device(device, affinities.columns)),
        values_(kernels::to_device(device, affinities.values)),
        map_(kernels::to_device(device, start)),
        moved_(device, 2 * rows_),
        pushes_(device, 2 * rows_),
        velocity_(device, 2 * rows_),
        gains_(device, 2 * rows_),
        weights_(device, rows_),
        weight_(device, 1),
        scratch_(device, kernels::column_scratch_bytes(rows_, 1)) {
    stand_still();
  }

  void stand_still() {
    kernels::fill(device_, velocity_, 0.0f);
    kernels::fill(device_, gains_, 1.0f);
  }

  void step(const kernels::TsneRates& rates) {
    kernels::repulsion(device_, planes(map_), planes(pushes_), weights_);
    kernels::column_sum(device_, scratch_, weights_.rows(rows_, 1), weight_);
    kernels::tsne_step(device_, {starts_, columns_, values_}, planes(map_), planes(pushes_),
                       weight_, {planes(velocity_), planes(gains_)}, planes(moved_), rates);
    std::swap(map_, moved_);
    device_.wait();
  }

  std::vector<float> map() const { return to_host(device_, map_); }

  /// Of all pairs of different points, 1 / (1 + squared distance).
  double weight() {
    kernels::repulsion(device_, planes(map_), planes(pushes_), weights_);
    const std::vector<float> weights = to_host(device_, weights_);
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  }

 private:
  Rows<float> planes(const Buffer<float>& buffer) const { return buffer.rows(2, rows_); }

  Device& device_;
  std::size_t rows_;
  Buffer<std::int32_t> starts_;
  Buffer<std::int32_t> columns_;
  Buffer<float> values_;
  Buffer<float> map_;
  Buffer<float> moved_;
  Buffer<float> pushes_;
  Buffer<float> velocity_;
  Buffer<float> gains_;
  Buffer<float> weights_;  // of every row
  Buffer<float> weight_;   // of all
  kernels::Scratch scratch_;
};

void descend(Descent& descent,
             std::size_t rows,
             const TsneOptions& options,
             const std::function<bool(int)>& progress) {
  const auto rate = static_cast<float>(
      std::max(static_cast<double>(rows) / options.early_exaggeration / 4.0, kLeastLearningRate));
  for (int i = 0; i < options.iterations; ++i) {
    const bool early = i < options.exaggerated_iterations;
    if (i == options.exaggerated_iterations) descent.stand_still();
    descent.step({.exaggeration = early ? static_cast<float>(options.early_exaggeration) : 1.0f,
                  .momentum = early ? kFirstMomentum : kMomentum,
                  .learning_rate = rate});
    if (progress && !progress(i + 1)) throw Interrupted{};
  }
}

/// From two planes to pairs.
std::vector<float> pairs_of(const std::vector<float>& planes) {
  const std::size_t count = planes.size() / 2;
  std::vector<float> points(planes.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(planes[i]) || !std::isfinite(planes[count + i]))
      fail<NonFiniteError>("[t-SNE] point {} of the map is not finite; try fewer iterations", i);
    points[2 * i] = planes[i];
    points[2 * i + 1] = planes[count + i];
  }
  return points;
}

}  // namespace

TsneMap tsne(const nn::Engine& engine,
             std::span<const float> rows,
             std::size_t columns,
             const TsneOptions& options,
             const std::function<bool(int)>& progress) {
  check(rows, columns, options);
  const std::size_t count = rows.size() / columns;
  if (count == 1) return {{0.0f, 0.0f}, 0.0};
  const std::vector<float> values = standardised(rows, columns);
  const Buffer<float> points = kernels::to_device(engine.device(), values);
  const Rows<const float> view = points.rows(count, columns);
  const TsneAffinities affinities =
      find_affinities(engine, view, squared_lengths(values, columns), options.perplexity);
  Descent descent(engine.device(), affinities, principal_start(engine, view, options.seed));
  descend(descent, count, options, progress);
  const std::vector<float> planes = descent.map();
  return {pairs_of(planes), kl_divergence(affinities, planes, descent.weight())};
}

}  // namespace opencd
