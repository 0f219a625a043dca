// A small residual network put to the test on a device: `doctor` runs it. Each check returns what is
// wrong, or nothing.
#pragma once

#include "nn/engine.hpp"

#include <functional>
#include <string>
#include <vector>

namespace opencd::bench {

struct Check {
  std::string name;
  std::function<std::string()> run;
};

/// Gradient against differences of the loss, one training step, batch norms folded against not
/// folded, weights to a file and back. `engine` must outlive them.
std::vector<Check> network_checks(const nn::Engine& engine);

}  // namespace opencd::bench
