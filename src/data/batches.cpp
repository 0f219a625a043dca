#include "data/batches.hpp"

#include "error.hpp"
#include "philox.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace opencd::data {

namespace {

/// Streams of the epoch order, so that no two uses share their random numbers.
constexpr std::uint64_t kLabeledStream = 0;
constexpr std::uint64_t kUnlabeledStream = 1;
constexpr std::uint64_t kSampleStream = 2;

double to_unit_double(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = std::uint64_t{high} << 32 | low;
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace

BatchParts batch_parts(std::size_t batch, std::size_t labeled_rows, std::size_t unlabeled_rows) {
  if (labeled_rows + unlabeled_rows == 0) throw UsageError("[batches] no rows to train on");
  std::size_t labeled = batch * labeled_rows / (labeled_rows + unlabeled_rows);
  if (labeled_rows > 0) labeled = std::max<std::size_t>(labeled, 1);
  if (unlabeled_rows > 0 && labeled == batch) --labeled;
  return {labeled, batch - labeled};
}

std::vector<std::uint32_t> shuffled(std::span<const std::uint32_t> rows,
                                    std::uint32_t seed,
                                    std::uint32_t epoch,
                                    std::uint64_t stream) {
  std::vector<std::uint32_t> order(rows.begin(), rows.end());
  const RandomStream random{seed, RandomPurpose::epoch_order, epoch, stream};
  RandomBits bits{};
  std::uint32_t drawn = 0;
  for (std::size_t last = order.size(); last > 1; --last, ++drawn) {  // Fisher and Yates
    if (drawn % 4 == 0) bits = random.draw(drawn / 4);
    const std::uint32_t pick = to_below(bits.word[drawn % 4], static_cast<std::uint32_t>(last));
    std::swap(order[last - 1], order[pick]);
  }
  return order;
}

OpenWorldBatches::OpenWorldBatches(std::vector<std::uint32_t> labeled,
                                   std::vector<std::uint32_t> unlabeled,
                                   std::size_t batch,
                                   std::uint32_t seed)
    : labeled_(std::move(labeled)),
      unlabeled_(std::move(unlabeled)),
      parts_(batch_parts(batch, labeled_.size(), unlabeled_.size())),
      seed_(seed) {
  if (batch == 0 || labeled_.size() < parts_.labeled || unlabeled_.size() < parts_.unlabeled)
    fail<UsageError>(
        "[batches] a batch of {} takes {} labelled and {} unlabelled rows, but there are {} and "
        "{}; choose a smaller batch",
        batch, parts_.labeled, parts_.unlabeled, labeled_.size(), unlabeled_.size());
  steps_ =
      parts_.labeled > 0 ? labeled_.size() / parts_.labeled : unlabeled_.size() / parts_.unlabeled;
  shuffle();
}

void OpenWorldBatches::shuffle() {
  labeled_order_ = shuffled(labeled_, seed_, position_.epoch, kLabeledStream);
  unlabeled_order_ = shuffled(unlabeled_, seed_, position_.epoch, kUnlabeledStream);
}

void OpenWorldBatches::seek(BatchPosition position) {
  if (position.step >= steps_)
    fail<UsageError>("[batches] step {} of an epoch of {}", position.step, steps_);
  position_ = position;
  shuffle();
}

Batch OpenWorldBatches::next() {
  Batch batch;
  batch.labeled = parts_.labeled;
  batch.rows.reserve(parts_.labeled + parts_.unlabeled);
  const auto take = [&](const std::vector<std::uint32_t>& order, std::size_t size) {
    if (size == 0) return;
    const std::size_t begin = position_.step % (order.size() / size) * size;
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
    batch.rows.insert(batch.rows.end(), first, first + static_cast<std::ptrdiff_t>(size));
  };
  take(labeled_order_, parts_.labeled);
  take(unlabeled_order_, parts_.unlabeled);
  if (++position_.step == steps_) {
    position_ = {position_.epoch + 1, 0};
    shuffle();
  }
  return batch;
}

std::vector<std::vector<std::uint32_t>> cut_batches(std::span<const std::uint32_t> order,
                                                    std::size_t batch) {
  if (batch == 0 || order.size() < batch)
    fail<UsageError>("[batches] a batch of {} from {} rows; choose a smaller batch", batch,
                     order.size());
  std::vector<std::vector<std::uint32_t>> batches;
  for (std::size_t begin = 0; begin + batch <= order.size(); begin += batch) {
    const auto rows = order.subspan(begin, batch);
    batches.emplace_back(rows.begin(), rows.end());
  }
  return batches;
}

WeightedSampler::WeightedSampler(std::span<const double> weights) {
  cumulative_.reserve(weights.size());
  double sum = 0.0;
  for (const double weight : weights) {
    if (!std::isfinite(weight) || weight < 0.0)
      fail<UsageError>("[sampler] expected weights of 0 or more, got {}", weight);
    cumulative_.push_back(sum += weight);
  }
  if (!(sum > 0.0) || !std::isfinite(sum)) throw UsageError("[sampler] no row has a weight");
}

std::vector<std::uint32_t> WeightedSampler::draw(std::size_t count,
                                                 std::uint32_t seed,
                                                 std::uint32_t epoch) const {
  const RandomStream random{seed, RandomPurpose::epoch_order, epoch, kSampleStream};
  std::vector<std::uint32_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    const RandomBits bits = random.draw(static_cast<std::uint32_t>(i));
    const double point = to_unit_double(bits.word[0], bits.word[1]) * cumulative_.back();
    // upper_bound never stops at a row of weight zero; the last row guards against rounding.
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, point);
    rows[i] = static_cast<std::uint32_t>(found - cumulative_.begin());
  }
  return rows;
}

std::vector<double> gcd_weights(std::span<const std::uint32_t> labeled, std::size_t rows) {
  const std::size_t others = rows - labeled.size();
  const double weight =
      others > 0 ? static_cast<double>(labeled.size()) / static_cast<double>(others) : 1.0;
  std::vector<double> weights(rows, weight);
  for (const std::uint32_t row : labeled) weights[row] = 1.0;
  return weights;
}

}  // namespace opencd::data
