// The contract of all layers.
//
// - A layer is built for one input layout (`src` in its constructor) and says what its output looks
//   like (`dst_desc`). It builds its primitives once, in the constructor, and registers parameters
//   and scratch memory with the Model; it owns no activations.
// - `forward` computes dst for training, `infer` for evaluation (const: it changes nothing).
//   What backward needs besides is named in its arguments and owned by the caller.
// - `backward` assigns diff_src and, for every parameter, `Parameter::diff`. The network adds the
//   diffs of a whole pass to the gradients in one launch (`ParameterSet::accumulate`), so that
//   passes accumulate.
// - Everything is asynchronous; only the order of the queue connects the operations.
#pragma once

#include "error.hpp"
#include "nn/model.hpp"

namespace opencd::nn {

/// What a layer will be used for, and so which primitives and parameters it needs.
enum class Use {
  train,           // forward and backward
  train_first,     // forward and backward without diff_src: nothing below is trained
  forward_only,    // forward with the statistics of the batch; parameters are frozen
  inference_only,  // no primitives here: the folded inference path does it all
};

inline bool is_trained(Use use) { return use == Use::train || use == Use::train_first; }
inline Role parameter_role(Use use) { return is_trained(use) ? Role::trained : Role::frozen; }

/// Whether oneDNN has only its slow reference implementation for a primitive.
template <class PrimitiveDesc>
bool is_reference(const PrimitiveDesc& desc) {
  return std::string(desc.impl_info_str()).find("ref") != std::string::npos;
}

/// Moves on to oneDNN's next routine for a primitive while `is_bad(desc)`. DeviceError, which begins with
/// `what()`, when none is left.
template <class PrimitiveDesc, class IsBad, class What>
void skip_routines(PrimitiveDesc& desc, IsBad is_bad, What what) {
  while (is_bad(desc)) {
    const std::string bad = desc.impl_info_str();
    if (!desc.next_impl())
      fail<DeviceError>(
          "{}: expected a routine of oneDNN that computes this right, but the last one left is {}, "
          "which is known to be wrong here; another oneDNN, or another device, may have one",
          what(), bad);
  }
}

}  // namespace opencd::nn
