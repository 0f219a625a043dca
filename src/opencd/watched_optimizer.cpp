#include "opencd/watched_optimizer.hpp"

#include <algorithm>
#include <cmath>

namespace opencd {

WatchedOptimizer::WatchedOptimizer(nn::Model& model, const nn::OptimizerConfig& config)
    : optimizer_(model, config), readback_(model.device()) {}

void WatchedOptimizer::step(double learning_rate) {
  optimizer_.step(learning_rate);
  readback_.start(optimizer_.record_on_device());
  unread_ = true;
}

std::size_t WatchedOptimizer::bad_entries() {
  if (!unread_) return 0;
  unread_ = false;
  const kernels::NormRecord record = readback_.finish();
  gradient_norm_ = std::sqrt(static_cast<double>(record.squares));
  const bool finite = record.bad == 0 && std::isfinite(record.squares);
  return finite ? 0 : std::max<std::size_t>(record.bad, 1);
}

}  // namespace opencd
