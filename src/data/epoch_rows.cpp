#include "data/epoch_rows.hpp"

#include "error.hpp"

#include <algorithm>
#include <cmath>

namespace opencd::data {

namespace {

// Streams of the epoch order, beside those of batches.cpp; the labelled rows are shuffled several
// times an epoch, each time from a stream of its own.
constexpr std::uint64_t kAllRowsStream = 3;
constexpr std::uint64_t kUnlabeledRowsStream = 4;
constexpr std::uint64_t kFirstLabeledStream = 5;

BatchParts parts_by_share(std::size_t batch,
                          double share,
                          std::size_t labeled_rows,
                          std::size_t unlabeled_rows) {
  if (labeled_rows == 0 || unlabeled_rows == 0)
    return batch_parts(batch, labeled_rows, unlabeled_rows);
  const auto labeled = static_cast<std::size_t>(std::lround(share * static_cast<double>(batch)));
  const std::size_t part = std::clamp<std::size_t>(labeled, 1, std::max<std::size_t>(batch, 2) - 1);
  return {part, batch - part};
}

/// In the order of their numbers.
std::vector<std::uint32_t> merged(const std::vector<std::uint32_t>& labeled,
                                  const std::vector<std::uint32_t>& unlabeled) {
  std::vector<std::uint32_t> rows(labeled.size() + unlabeled.size());
  std::merge(labeled.begin(), labeled.end(), unlabeled.begin(), unlabeled.end(), rows.begin());
  return rows;
}

}  // namespace

EpochRows::EpochRows(std::vector<std::uint32_t> labeled,
                     std::vector<std::uint32_t> unlabeled,
                     std::size_t batch,
                     std::uint32_t seed,
                     const SamplingConfig& config)
    : labeled_(std::move(labeled)),
      unlabeled_(std::move(unlabeled)),
      batch_(batch),
      seed_(seed),
      config_(config) {
  const std::size_t rows = labeled_.size() + unlabeled_.size();
  if (batch == 0 || batch > rows)
    fail<UsageError>("[batches] a batch of {} from {} rows; choose a smaller batch", batch, rows);
  if (config.labeled_epochs > 0 && labeled_.empty())
    fail<UsageError>(
        "[batches] the first {} epochs are of labelled rows, but there are none; choose a larger "
        "--labeled-ratio",
        config.labeled_epochs);
  switch (config.kind) {
    case Sampling::open_world:
      open_.emplace(labeled_, unlabeled_, batch, seed);
      steps_.usual = open_->steps_per_epoch();
      break;
    case Sampling::balanced:
      drawn_.emplace(gcd_weights(labeled_, rows));
      steps_.usual = rows / batch;
      break;
    case Sampling::all_rows: steps_.usual = rows / batch; break;
    case Sampling::least_share:
      config_.labeled_share = std::max(
          config.labeled_share, static_cast<double>(labeled_.size()) / static_cast<double>(rows));
      [[fallthrough]];
    case Sampling::fixed_share:
      parts_ = parts_by_share(batch, config_.labeled_share, labeled_.size(), unlabeled_.size());
      if (unlabeled_.size() < parts_.unlabeled)
        fail<UsageError>(
            "[batches] a batch of {} takes {} unlabelled rows, but there are {}; choose a smaller "
            "batch",
            batch, parts_.unlabeled, unlabeled_.size());
      steps_.usual = parts_.unlabeled > 0 ? unlabeled_.size() / parts_.unlabeled
                                          : labeled_.size() / parts_.labeled;
      break;
  }
  // Fewer labelled rows than a batch holds still make one.
  steps_.labeled = std::max<std::size_t>(1, labeled_.size() / batch);
  steps_.labeled_epochs =
      static_cast<std::size_t>(std::max<std::int64_t>(0, config.labeled_epochs));
}

std::vector<std::uint32_t> EpochRows::of(std::uint32_t epoch) {
  if (is_labeled(epoch)) return labeled(epoch, steps_.labeled * batch_);
  switch (config_.kind) {
    case Sampling::open_world: return open_world(epoch);
    case Sampling::balanced: return drawn_->draw(steps_.usual * batch_, seed_, epoch);
    case Sampling::all_rows: return all(epoch);
    default: return mixed(epoch);
  }
}

std::vector<std::uint32_t> EpochRows::all(std::uint32_t epoch) const {
  std::vector<std::uint32_t> rows =
      shuffled(merged(labeled_, unlabeled_), seed_, epoch, kAllRowsStream);
  rows.resize(steps_.usual * batch_);  // the last incomplete batch is dropped
  return rows;
}

std::vector<std::uint32_t> EpochRows::open_world(std::uint32_t epoch) {
  std::vector<std::uint32_t> rows;
  rows.reserve(steps_.usual * batch_);
  open_->seek({epoch, 0});
  for (std::size_t step = 0; step < steps_.usual; ++step) {
    const Batch batch = open_->next();
    rows.insert(rows.end(), batch.rows.begin(), batch.rows.end());
  }
  return rows;
}

std::vector<std::uint32_t> EpochRows::labeled(std::uint32_t epoch, std::size_t count) const {
  std::vector<std::uint32_t> rows;
  for (std::uint64_t pass = 0; rows.size() < count; ++pass) {
    const auto order = shuffled(labeled_, seed_, epoch, kFirstLabeledStream + pass);
    rows.insert(rows.end(), order.begin(), order.end());
  }
  rows.resize(count);
  return rows;
}

std::vector<std::uint32_t> EpochRows::mixed(std::uint32_t epoch) const {
  const std::vector<std::uint32_t> known = labeled(epoch, steps_.usual * parts_.labeled);
  const std::vector<std::uint32_t> unlabeled =
      shuffled(unlabeled_, seed_, epoch, kUnlabeledRowsStream);
  std::vector<std::uint32_t> rows;
  rows.reserve(steps_.usual * batch_);
  const auto take = [&](const std::vector<std::uint32_t>& order, std::size_t step,
                        std::size_t size) {
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(step * size);
    rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(size));
  };
  for (std::size_t step = 0; step < steps_.usual; ++step) {
    take(known, step, parts_.labeled);
    take(unlabeled, step, parts_.unlabeled);
  }
  return rows;
}

}  // namespace opencd::data
