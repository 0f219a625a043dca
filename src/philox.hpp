// Philox4x32-10, the counter-based random generator of Salmon et al. (SC 2011). Plain C++ that runs
// on host and device alike: a random number is a pure function of what it is for, so results do not
// depend on batch size, threads or device, and there is no state to save.
#pragma once

#include <cstdint>

namespace opencd {

/// What a random number is drawn for; part of the key, so that no two uses share a stream.
enum class RandomPurpose : std::uint32_t {
  test = 0,
  initialisation = 1,
  augmentation = 2,
  epoch_order = 3,
  positive_pairs = 4,
  grouping = 5,
  synthetic_data = 6,
  clustering = 7,
  feature_views = 8,
  map_start = 9,
};

struct RandomBits {
  std::uint32_t word[4];
};

/// Four words from a 128-bit counter and a 64-bit key.
constexpr RandomBits philox(RandomBits counter, std::uint32_t key0, std::uint32_t key1) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53u;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter.word[0];
    const std::uint64_t product1 = kMultiplier1 * counter.word[2];
    counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                static_cast<std::uint32_t>(product1),
                static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                static_cast<std::uint32_t>(product0)}};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

/// A uniform float in [0, 1) with 24 random bits.
constexpr float to_unit_float(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f);
}

/// An integer in [0, bound) by multiplication; the bias is below bound / 2^32.
constexpr std::uint32_t to_below(std::uint32_t bits, std::uint32_t bound) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits) * bound) >> 32);
}

/// The random words of one item: a stream keyed by the run's seed and the purpose, addressed by
/// (epoch, item, draw).
struct RandomStream {
  std::uint32_t seed = 0;
  RandomPurpose purpose = RandomPurpose::test;
  std::uint32_t epoch = 0;
  std::uint64_t item = 0;

  constexpr RandomBits draw(std::uint32_t index) const {
    return philox(
        {{index, epoch, static_cast<std::uint32_t>(item), static_cast<std::uint32_t>(item >> 32)}},
        seed, static_cast<std::uint32_t>(purpose));
  }
};

}  // namespace opencd
