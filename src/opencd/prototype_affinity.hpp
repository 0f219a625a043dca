// Which prototypes belong together, from how rows lie among them: the first half of a regrouping.
// Features come block by block, as the network makes them; only counts are kept.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"
#include "opencd/co_occurrence_affinity.hpp"

#include <cstddef>
#include <cstdint>

namespace opencd {

using kernels::Rows;
using kernels::View;

struct PrototypeAffinityOptions {
  std::size_t prototypes = 0;
  std::size_t dimensions = 0;
  std::size_t kappa = 3;            // nearest prototypes of a row that count; at most 16
  std::size_t rows_a_block = 4096;  // whose cosines are held at a time
  AffinityMix mix;
};

class PrototypeAffinity {
 public:
  /// Takes all device memory that it will need.
  PrototypeAffinity(const nn::Engine& engine, const PrototypeAffinityOptions& options);

  const PrototypeAffinityOptions& options() const { return options_; }

  /// Forgets all rows. `prototypes` are unit rows and must stay as they are until `finish`.
  void begin(Rows<const float> prototypes);

  /// Counts any number of unit rows of features. `nearest`, unless it is empty, takes the nearest
  /// prototype of each: the first of equally near ones.
  void add(Rows<const float> features, View<std::int32_t> nearest = {});

  /// The affinity by all rows since `begin`. Waits for the device.
  AffinityMatrix finish();

 private:
  void add_block(Rows<const float> features, View<std::int32_t> nearest);
  Rows<std::uint32_t> tables();

  const nn::Engine& engine_;
  PrototypeAffinityOptions options_;
  Rows<const float> prototypes_;
  kernels::Buffer<float> cosines_;         // of a block, or between prototypes
  kernels::Buffer<std::int32_t> lists_;    // kappa nearest prototypes of the rows of a block
  kernels::Buffer<std::uint32_t> counts_;  // tables of prototypes x prototypes, upper triangles
};

}  // namespace opencd
