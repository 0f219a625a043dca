// Golden answers of tests/golden/make_method.py, and the questions to them, which both sides make
// from a seed by the same integer hash.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/grouping/grouping.hpp"
#include "support/test_data.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace opencd::test {

/// The cases of a file, by value: a loop may run over them directly.
inline nlohmann::json method_golden(const std::string& name) {
  const std::filesystem::path path = golden("method/" + name + ".json");
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  return nlohmann::json::parse(file).at("cases");
}

/// 64-bit words: the finaliser of SplitMix64 over seed and position.
class HashedWords {
 public:
  explicit HashedWords(std::uint64_t seed) : state_(seed * 0xD1342543DE82EF95u) {}

  std::uint64_t word() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(word() >> 11) * 0x1p-53; }
  std::int32_t below(std::uint64_t bound) { return static_cast<std::int32_t>(word() % bound); }

 private:
  std::uint64_t state_;
};

/// Node i is of block i % blocks. Weights are uniform in `within` or `between` (low, high); an edge
/// between blocks exists with probability `density`; the last `isolated` nodes have none.
inline AffinityMatrix planted_graph(const nlohmann::json& spec) {
  const std::size_t nodes = spec["nodes"];
  const std::size_t blocks = spec["blocks"];
  const std::size_t linked = nodes - spec.value("isolated", std::size_t{0});
  const double density = spec.value("density", 1.0);
  HashedWords choose(2 * spec["seed"].get<std::uint64_t>());
  HashedWords place(2 * spec["seed"].get<std::uint64_t>() + 1);
  std::vector<float> weights(nodes * nodes, 0.0f);
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t j = 0; j < nodes; ++j) {
      const bool chosen = choose.unit() < density;
      const double position = place.unit();
      const bool same = i % blocks == j % blocks;
      if (i >= j || j >= linked || (!same && !chosen)) continue;
      const nlohmann::json& range = spec[same ? "within" : "between"];
      const double low = range[0];
      const double high = range[1];
      weights[i * nodes + j] = weights[j * nodes + i] =
          static_cast<float>(low + (high - low) * position);
    }
  for (std::size_t i = 0; i < nodes; ++i)
    weights[i * nodes + i] = static_cast<float>(spec.value("diagonal", 0.0));
  return {weights, nodes};
}

/// Row i lies around the mean of block i % blocks, a point of the cube; the noise is the sum of four
/// uniform numbers.
inline std::vector<float> planted_rows(const nlohmann::json& spec) {
  const std::size_t columns = spec["columns"];
  const std::size_t blocks = spec["blocks"];
  const std::size_t size = spec["rows"].get<std::size_t>() * columns;
  const std::uint64_t seed = spec["seed"];
  HashedWords place(5 * seed);
  std::vector<double> means(blocks * columns);
  for (double& mean : means) mean = spec.value("offset", 0.0) + 2.0 * place.unit() - 1.0;
  std::vector<double> noise(size, 0.0);
  for (std::uint64_t i = 1; i < 5; ++i) {
    HashedWords part(5 * seed + i);
    for (double& value : noise) value += part.unit();
  }
  const double spread = spec["spread"];
  std::vector<float> rows(size);
  for (std::size_t i = 0; i < size; ++i)
    rows[i] = static_cast<float>(means[i / columns % blocks * columns + i % columns] +
                                 spread * (noise[i] - 2.0));
  return rows;
}

inline AffinityMatrix golden_graph(const std::string& name) {
  for (const auto& spec : method_golden("graphs"))
    if (spec["name"] == name) return planted_graph(spec);
  throw std::runtime_error("no golden graph is called " + name);
}

/// Node i is of group i % blocks.
inline Grouping planted_groups(std::size_t nodes, std::size_t blocks) {
  Grouping grouping{std::vector<std::int32_t>(nodes), blocks};
  for (std::size_t i = 0; i < nodes; ++i)
    grouping.group_of[i] = static_cast<std::int32_t>(i % blocks);
  return grouping;
}

}  // namespace opencd::test
