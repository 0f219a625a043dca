// Seeded random numbers for tests: the same on every machine, since std distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace opencd::test {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  double uniform(double low = 0.0, double high = 1.0) {
    return low + (high - low) * (engine_() / 4294967296.0);
  }
  double normal() {
    return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(6.283185307179586 * uniform());
  }
  std::uint32_t below(std::uint32_t bound) { return engine_() % bound; }

  std::vector<float> normals(std::size_t count, double scale = 1.0) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(scale * normal());
    return values;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace opencd::test
