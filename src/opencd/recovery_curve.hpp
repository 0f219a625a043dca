// s(n): how well n spectral groups recover the known classes while some are hidden in turn
// (hidden_classes.hpp), the mean over several sets of prototypes.
#pragma once

#include "opencd/prototype_evidence.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opencd {

struct RecoveryOptions {
  int folds = 10;           // of hidden classes, at most
  std::size_t points = 24;  // numbers that are tried, at most; between them the curve is straight
  int starts = 3;           // of k-means, per number and set
  double rate = 0.0;        // at which rows of known classes are labelled
  double belief = 0.0;      // in that rate, from 0 to 1: scores with and without it are mixed so
  std::uint32_t seed = 0;
};

class RecoveryCurve {
 public:
  /// Tries numbers from `least` to `most`, evenly spread over their logarithm, and ends early where the
  /// scores have stayed far below the best: large numbers cost the most. There must be labelled rows.
  RecoveryCurve(std::span<const PrototypeEvidence> sets,
                std::size_t least,
                std::size_t most,
                const RecoveryOptions& options);

  /// Beyond the last number that was tried, its score.
  double at(std::size_t number) const;
  double best() const { return points_[best_].mean; }
  /// Standard error of the best score: of the sets, and of the labelled rows as coin throws, of which at
  /// least one might have fallen otherwise.
  double error_of_best() const;

 private:
  struct Point {
    std::size_t number = 0;
    double mean = 0.0;
    double variance = 0.0;  // of the mean, over the sets
  };
  bool far_below_best() const;

  double labelled_rows_ = 0.0;
  std::vector<Point> points_;
  std::size_t best_ = 0;
};

}  // namespace opencd
