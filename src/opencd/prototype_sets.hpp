// Other sets of prototypes in the same features: the centres of k-means on random parts of the rows. One set
// is one way to cut up the features, and what it says about the number of classes depends on how the
// cuts happen to fall; what many sets say depends on the features alone.
#pragma once

#include "nn/engine.hpp"
#include "opencd/prototype_affinity.hpp"
#include "opencd/prototype_evidence.hpp"

#include <span>
#include <vector>

namespace opencd {

/// The evidence of `features`, unit rows, about `prototypes`, unit rows too.
PrototypeEvidence evidence_about(const nn::Engine& engine,
                                 PrototypeAffinity& affinity,
                                 Rows<const float> prototypes,
                                 Rows<const float> features,
                                 const KnownRows& known);

struct PrototypeSetOptions {
  std::size_t sets = 8;
  PrototypeAffinityOptions affinity;  // with the most prototypes that a set may have
  std::uint32_t seed = 0;
};

/// The same about sets of prototypes that k-means finds, fewer where there are few rows. None where
/// there are not even enough for `kappa`.
std::vector<PrototypeEvidence> evidence_about_other_sets(const nn::Engine& engine,
                                                         Rows<const float> features,
                                                         const KnownRows& known,
                                                         const PrototypeSetOptions& options);

/// About `prototypes` first, then about other sets of as many; `others` may be 0.
std::vector<PrototypeEvidence> evidence_about_sets(const nn::Engine& engine,
                                                   PrototypeAffinity& affinity,
                                                   Rows<const float> prototypes,
                                                   Rows<const float> features,
                                                   const KnownRows& known,
                                                   std::size_t others,
                                                   std::uint32_t seed);

}  // namespace opencd
