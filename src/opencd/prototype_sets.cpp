#include "opencd/prototype_sets.hpp"

#include "kernels/normalize.hpp"
#include "opencd/grouping/random_sequence.hpp"
#include "opencd/kmeans.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>
#include <utility>

namespace opencd {

namespace {

constexpr std::size_t kLeastRowsAPrototype = 20;  // with fewer, what they share says little
// The cuts need not be the best ones, only others.
constexpr std::size_t kMostRowsAPrototype = 50;
constexpr int kIterations = 10;

/// Some of the rows, in a random order.
std::vector<float> sample_rows(const std::vector<float>& values,
                               std::size_t columns,
                               std::size_t wanted,
                               RandomSequence random) {
  std::vector<std::uint32_t> order = all_rows(values.size() / columns);
  random.shuffle(order);
  std::vector<float> sample;
  for (const std::uint32_t row : std::span(order).first(std::min(wanted, order.size()))) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * columns);
    sample.insert(sample.end(), first, first + static_cast<std::ptrdiff_t>(columns));
  }
  return sample;
}

}  // namespace

PrototypeEvidence evidence_about(const nn::Engine& engine,
                                 PrototypeAffinity& affinity,
                                 Rows<const float> prototypes,
                                 Rows<const float> features,
                                 const KnownRows& known) {
  const kernels::Buffer<std::int32_t> nearest(engine.device(), features.rows);
  affinity.begin(prototypes);
  affinity.add(features, nearest);
  AffinityMatrix matrix = affinity.finish();
  return make_evidence(std::move(matrix), kernels::to_host(engine.device(), nearest), known);
}

std::vector<PrototypeEvidence> evidence_about_other_sets(const nn::Engine& engine,
                                                         Rows<const float> features,
                                                         const KnownRows& known,
                                                         const PrototypeSetOptions& options) {
  kernels::Device& device = engine.device();
  const std::size_t columns = features.columns;
  PrototypeAffinityOptions of_set = options.affinity;
  of_set.prototypes =
      std::max(known.classes, std::min(of_set.prototypes, features.rows / kLeastRowsAPrototype));
  std::vector<PrototypeEvidence> sets;
  if (of_set.prototypes < of_set.kappa || of_set.prototypes > features.rows) return sets;
  PrototypeAffinity affinity(engine, of_set);
  const std::vector<float> values = kernels::to_host(device, features.flat());
  const kernels::Buffer<float> norms(device, of_set.prototypes);
  for (std::size_t i = 0; i < options.sets; ++i) {
    const std::vector<float> sample =
        sample_rows(values, columns, kMostRowsAPrototype * of_set.prototypes,
                    RandomSequence(options.seed, i, RandomPurpose::clustering));
    const kernels::Buffer<float> rows = kernels::to_device(device, sample);
    const KMeansResult clusters = kmeans(engine, rows.rows(sample.size() / columns, columns),
                                         {.clusters = of_set.prototypes,
                                          .starts = 1,
                                          .iterations = kIterations,
                                          .seed = options.seed + static_cast<std::uint32_t>(i)});
    const kernels::Buffer<float> centres = kernels::to_device(device, clusters.centres);
    const Rows<float> unit = centres.rows(of_set.prototypes, columns);
    kernels::normalize_rows(device, unit, unit, norms);
    sets.push_back(evidence_about(engine, affinity, unit, features, known));
  }
  return sets;
}

std::vector<PrototypeEvidence> evidence_about_sets(const nn::Engine& engine,
                                                   PrototypeAffinity& affinity,
                                                   Rows<const float> prototypes,
                                                   Rows<const float> features,
                                                   const KnownRows& known,
                                                   std::size_t others,
                                                   std::uint32_t seed) {
  std::vector<PrototypeEvidence> sets = {
      evidence_about(engine, affinity, prototypes, features, known)};
  if (others == 0) return sets;
  for (PrototypeEvidence& set : evidence_about_other_sets(
           engine, features, known, {.sets = others, .affinity = affinity.options(), .seed = seed}))
    sets.push_back(std::move(set));
  return sets;
}

}  // namespace opencd
