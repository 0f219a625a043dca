// The first epochs of methods whose authors train the network on labelled rows alone before anything
// else: which share of a run they are, and a classifier of the known classes to train it with.
#pragma once

#include "kernels/cross_entropy.hpp"
#include "kernels/readback.hpp"
#include "nn/linear_head.hpp"
#include "opencd/method.hpp"

#include <optional>

namespace opencd {

/// Of the term that makes views agree; the largest weight that is taken for one.
inline constexpr double kMostConsistency = 1000.0;

/// The option "tuning-share", or that of the authors. UsageError unless it is from 0 to 1.
double tuning_share(const Json& options, double authors);
/// How many of `epochs` that is; the last is never among them.
std::int64_t tuning_epochs(double share, std::int64_t epochs);

/// Learns from labelled rows, view 1; thrown away once the network is tuned.
class TuningClassifier {
 public:
  /// UsageError, which names the method, if no class is known.
  TuningClassifier(const MethodContext& context, const char* method);

  nn::ParameterRange range() const { return classifier_.range(); }
  void allocate();
  /// Assigns the gradients of both views.
  void step(const MethodStep& step);
  /// Cross-entropy of the last step. Waits for it.
  double loss() { return readback_->finish().loss; }

 private:
  MethodContext context_;
  nn::LinearHead classifier_;
  kernels::Buffer<float> logits_, diff_;
  kernels::Buffer<kernels::CrossEntropyRecord> record_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Readback<kernels::CrossEntropyRecord>> readback_;
};

/// As many outputs as known classes. UsageError, which names the method, if there is none.
std::int64_t tuned_outputs(const MethodContext& context, const char* method);

}  // namespace opencd
