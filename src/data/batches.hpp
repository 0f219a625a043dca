// Which rows make up a batch, as pure functions of (seed, epoch, step): the same for any thread
// count, and a position to resume from is two numbers. Orders come from Philox.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd::data {

/// Row numbers of one step: the labelled rows first.
struct Batch {
  std::vector<std::uint32_t> rows;
  std::size_t labeled = 0;
};

/// Where training stands; what a checkpoint keeps.
struct BatchPosition {
  std::uint32_t epoch = 0;
  std::size_t step = 0;

  bool operator==(const BatchPosition&) const = default;
};

struct BatchParts {
  std::size_t labeled = 0;
  std::size_t unlabeled = 0;
};

/// The published rule: labelled part = floor(batch * labelled rows / all rows), the rest unlabelled.
/// Neither part is empty where there are rows for it, so that the scarcest labels are still used.
BatchParts batch_parts(std::size_t batch, std::size_t labeled_rows, std::size_t unlabeled_rows);

/// A random order of `rows`, another for each seed, epoch and stream.
std::vector<std::uint32_t> shuffled(std::span<const std::uint32_t> rows,
                                    std::uint32_t seed,
                                    std::uint32_t epoch,
                                    std::uint64_t stream);

/// Batches of open-world training (OpenNCD, ORCA). An epoch is one pass over the shuffled labelled
/// rows; the unlabelled ones, shuffled by themselves, are cycled if they run out first. The last
/// incomplete batch of either is dropped. A batch that comes round again holds the same rows of the
/// same epoch and therefore the same augmented pixels, as in the reference. Without labelled rows
/// an epoch is one pass over the unlabelled ones.
class OpenWorldBatches {
 public:
  /// UsageError if a part has fewer rows than a batch needs.
  OpenWorldBatches(std::vector<std::uint32_t> labeled,
                   std::vector<std::uint32_t> unlabeled,
                   std::size_t batch,
                   std::uint32_t seed);

  BatchParts parts() const { return parts_; }
  std::size_t steps_per_epoch() const { return steps_; }
  BatchPosition position() const { return position_; }
  /// Continues from any position, as if all batches before it had been taken.
  void seek(BatchPosition position);
  /// The batch at the position, which then moves on, into the next epoch after the last step.
  Batch next();

 private:
  void shuffle();

  std::vector<std::uint32_t> labeled_;
  std::vector<std::uint32_t> unlabeled_;
  BatchParts parts_;
  std::uint32_t seed_;
  std::size_t steps_ = 0;
  BatchPosition position_;
  std::vector<std::uint32_t> labeled_order_;
  std::vector<std::uint32_t> unlabeled_order_;
};

/// The rows of an epoch in batches of one kind; the last incomplete one is dropped. `order` is a
/// shuffle (SimCLR) or a weighted sample (GCD).
std::vector<std::vector<std::uint32_t>> cut_batches(std::span<const std::uint32_t> order,
                                                    std::size_t batch);

/// Draws rows with replacement, each with the probability of its weight.
class WeightedSampler {
 public:
  /// UsageError unless all weights are finite and not negative and one is positive.
  explicit WeightedSampler(std::span<const double> weights);

  std::vector<std::uint32_t> draw(std::size_t count, std::uint32_t seed, std::uint32_t epoch) const;

 private:
  std::vector<double> cumulative_;
};

/// GCD's weights for all rows of a split: 1 for labelled rows and N_l / N_u for the others, so that
/// half of a batch is labelled in expectation.
std::vector<double> gcd_weights(std::span<const std::uint32_t> labeled, std::size_t rows);

}  // namespace opencd::data
