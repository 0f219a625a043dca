// Which rows the batches of an epoch hold, for every way of drawing them that a method may ask for, and
// how many steps that makes. A pure function of (seed, epoch), so that any position can be resumed from.
#pragma once

#include "data/batches.hpp"
#include "data/epoch_steps.hpp"

#include <optional>

namespace opencd::data {

///   open_world  OpenNCD, ORCA: the labelled part of a batch is the labelled share of all rows; an
///               epoch is a pass over the labelled rows
///   balanced    GCD: drawn with replacement so that half of a batch is labelled in expectation; an
///               epoch draws as many rows as there are
///   fixed_share FixMatch, DS3L: a fixed part of every batch is labelled; an epoch is a pass over the
///               unlabelled rows, the labelled ones are passed as often as that takes
///   least_share opencd+: the same, but that a set with a larger share of labelled rows keeps it
///   all_rows    features of others: labelled or not, an epoch is a pass over all rows
enum class Sampling { open_world, balanced, fixed_share, least_share, all_rows };

struct SamplingConfig {
  Sampling kind = Sampling::open_world;
  double labeled_share = 0.0;       // of a batch; fixed_share and least_share only
  std::int64_t labeled_epochs = 0;  // the first ones: a pass over the labelled rows alone
};

class EpochRows {
 public:
  /// UsageError if a batch takes more rows than there are, or labelled ones where there are none.
  EpochRows(std::vector<std::uint32_t> labeled,
            std::vector<std::uint32_t> unlabeled,
            std::size_t batch,
            std::uint32_t seed,
            const SamplingConfig& config = {});

  const EpochSteps& steps() const { return steps_; }
  /// Whether an epoch holds a row more than once, so that its views must be drawn anew each time.
  bool repeats(std::uint32_t epoch) const {
    if (is_labeled(epoch)) return labeled_.size() < batch_;
    return config_.kind != Sampling::open_world && config_.kind != Sampling::all_rows;
  }
  /// The rows of all steps of an epoch, batch after batch.
  std::vector<std::uint32_t> of(std::uint32_t epoch);

 private:
  bool is_labeled(std::uint32_t epoch) const { return epoch < config_.labeled_epochs; }
  /// So many labelled rows, each as often as any other, or once more.
  std::vector<std::uint32_t> labeled(std::uint32_t epoch, std::size_t count) const;
  std::vector<std::uint32_t> open_world(std::uint32_t epoch);
  std::vector<std::uint32_t> mixed(std::uint32_t epoch) const;
  std::vector<std::uint32_t> all(std::uint32_t epoch) const;

  std::vector<std::uint32_t> labeled_;
  std::vector<std::uint32_t> unlabeled_;
  std::size_t batch_;
  std::uint32_t seed_;
  SamplingConfig config_;
  EpochSteps steps_;
  BatchParts parts_;                      // fixed_share, least_share
  std::optional<OpenWorldBatches> open_;  // open_world
  std::optional<WeightedSampler> drawn_;  // balanced
};

}  // namespace opencd::data
