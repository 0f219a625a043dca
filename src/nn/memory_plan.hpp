// What training will take of the device's memory, known before any of it is taken.
#pragma once

#include "nn/optimizer.hpp"
#include "nn/saved.hpp"

namespace opencd::nn {

/// Bytes by purpose.
struct MemoryPlan {
  std::size_t parameters = 0;   // weights, running statistics, folded copies
  std::size_t gradients = 0;    // their sum, and those of one pass
  std::size_t optimizer = 0;    // moments and averages
  std::size_t activations = 0;  // of all passes in flight
  std::size_t scratch = 0;      // temporaries and the primitives' own

  std::size_t total() const { return parameters + gradients + optimizer + activations + scratch; }
};

/// Activations of one network, as often as it has passes in flight.
struct PassesInFlight {
  const SavedLayout& layout;
  std::size_t passes = 1;
};

/// For a model whose layers are built; allocated or not.
MemoryPlan plan_memory(const Model& model,
                       const OptimizerConfig& optimizer,
                       std::initializer_list<PassesInFlight> networks);

}  // namespace opencd::nn
