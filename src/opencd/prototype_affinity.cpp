#include "opencd/prototype_affinity.hpp"

#include "kernels/check.hpp"
#include "kernels/co_occurrence.hpp"
#include "kernels/top_k.hpp"
#include "nn/gemm.hpp"

#include <algorithm>

namespace opencd {

namespace {

PrototypeAffinityOptions checked(const PrototypeAffinityOptions& options) {
  if (options.kappa < 1 || options.kappa > std::min(options.prototypes, kernels::kMaxTopK))
    fail<UsageError>("[prototype affinity] expected kappa from 1 to {}, got {}",
                     std::min(options.prototypes, kernels::kMaxTopK), options.kappa);
  if (options.rows_a_block == 0)
    fail<UsageError>("[prototype affinity] expected blocks of at least one row, got none");
  return options;
}

}  // namespace

PrototypeAffinity::PrototypeAffinity(const nn::Engine& engine,
                                     const PrototypeAffinityOptions& options)
    : engine_(engine),
      options_(checked(options)),
      cosines_(engine.device(),
               std::max(options.rows_a_block, options.prototypes) * options.prototypes),
      lists_(engine.device(), options.rows_a_block * options.kappa),
      counts_(engine.device(),
              kernels::count_tables(options.prototypes) * options.prototypes * options.prototypes) {
}

void PrototypeAffinity::begin(Rows<const float> prototypes) {
  kernels::require_equal("prototype affinity", "prototypes", options_.prototypes, prototypes.rows);
  kernels::require_equal("prototype affinity", "dimensions of prototypes", options_.dimensions,
                         prototypes.columns);
  prototypes_ = prototypes;
  kernels::clear_counts(engine_.device(), counts_);
}

void PrototypeAffinity::add(Rows<const float> features, View<std::int32_t> nearest) {
  kernels::require_equal("prototype affinity", "dimensions of features", prototypes_.columns,
                         features.columns);
  const bool wanted = nearest.data != nullptr;
  if (wanted)
    kernels::require_equal("prototype affinity", "nearest prototypes", features.rows, nearest.size);
  for (std::size_t first = 0; first < features.rows; first += options_.rows_a_block) {
    const std::size_t count = std::min(options_.rows_a_block, features.rows - first);
    const Rows<const float> block{features.data + first * features.columns, count,
                                  features.columns};
    add_block(block, wanted ? nearest.slice(first, count) : nearest);
  }
}

void PrototypeAffinity::add_block(Rows<const float> features, View<std::int32_t> nearest) {
  // A row of cosines is a prototype, so that what finds the largest of a feature loads vectors.
  const Rows<float> cosines{cosines_.data(), options_.prototypes, features.rows};
  const Rows<std::int32_t> lists{lists_.data(), features.rows, options_.kappa};
  nn::gemm(engine_, prototypes_, features, cosines, {.transpose_right = true});
  kernels::top_k_columns(engine_.device(), cosines, lists);
  kernels::add_co_occurrences(engine_.device(), lists, tables(), nearest);
}

Rows<std::uint32_t> PrototypeAffinity::tables() {
  return counts_.rows(counts_.size() / options_.prototypes, options_.prototypes);
}

AffinityMatrix PrototypeAffinity::finish() {
  kernels::require_equal("prototype affinity", "prototypes", options_.prototypes, prototypes_.rows);
  const std::size_t size = options_.prototypes;
  std::vector<float> cosines;
  if (options_.mix.share < 1.0) {
    const Rows<float> between{cosines_.data(), size, size};
    nn::gemm(engine_, prototypes_, prototypes_, between, {.transpose_right = true});
    cosines = to_host(engine_.device(), between.flat());
  }
  const Rows<std::uint32_t> counts = kernels::join_counts(engine_.device(), tables());
  return co_occurrence_affinity(to_host(engine_.device(), counts.flat()), cosines, size,
                                options_.mix);
}

}  // namespace opencd
