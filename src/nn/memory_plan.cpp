#include "nn/memory_plan.hpp"

namespace opencd::nn {

MemoryPlan plan_memory(const Model& model,
                       const OptimizerConfig& optimizer,
                       std::initializer_list<PassesInFlight> networks) {
  const ParameterSet& parameters = model.parameters();
  const std::size_t trained = parameters.size(Role::trained) * sizeof(float);
  MemoryPlan plan;
  plan.gradients = 2 * trained;
  plan.parameters = parameters.bytes() - plan.gradients + model.copy_bytes();
  plan.optimizer = optimizer.state_ranges() * trained;
  for (const PassesInFlight& network : networks)
    plan.activations += network.passes * network.layout.bytes();
  plan.scratch = model.scratch_bytes();
  return plan;
}

}  // namespace opencd::nn
