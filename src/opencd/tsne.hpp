// t-SNE on the device: a map of rows in the plane that keeps neighbours together (van der Maaten and
// Hinton, JMLR 2008). Repulsion is exact, over all pairs of rows; attraction acts between the
// 3 x perplexity nearest neighbours, beyond which affinities vanish. Start, rates and stages are
// scikit-learn's.
#pragma once

#include "nn/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace opencd {

inline constexpr std::size_t kMostTsneRows = 20'000;

struct TsneOptions {
  double perplexity =
      30.0;               // lowered to a third of the other rows, but not below 1, if there are few
  int iterations = 1000;  // in all
  double early_exaggeration = 12.0;
  int exaggerated_iterations = 250;  // the first ones
  std::uint32_t seed = 0;  // matters where the rows extend in fewer than two directions: they start
                           // at random there
};

struct TsneMap {
  std::vector<float> points;   // rows x 2
  double kl_divergence = 0.0;  // of the map's affinities from those of the rows
};

/// `rows` of `columns` floats each. `progress(iteration)` is told how many iterations are done; if it
/// returns false, Interrupted is thrown. The same rows, options and device give the same bits.
/// UsageError for no rows, for more than kMostTsneRows and for options that make no sense;
/// NonFiniteError for rows that are not finite.
TsneMap tsne(const nn::Engine& engine,
             std::span<const float> rows,
             std::size_t columns,
             const TsneOptions& options = {},
             const std::function<bool(int)>& progress = {});

}  // namespace opencd
