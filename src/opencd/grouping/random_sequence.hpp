// Random numbers for algorithms that draw one after the other: a Philox stream read in order.
#pragma once

#include "philox.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace opencd {

class RandomSequence {
 public:
  /// Sequences of one seed that differ in `item` are independent.
  explicit RandomSequence(std::uint32_t seed,
                          std::uint64_t item = 0,
                          RandomPurpose purpose = RandomPurpose::grouping)
      : stream_{seed, purpose, 0, item} {}

  std::uint32_t word() {
    if (used_ == 4) {
      bits_ = stream_.draw(drawn_++);
      used_ = 0;
    }
    return bits_.word[used_++];
  }

  /// In [0, 1), 53 random bits.
  double unit() {
    const std::uint64_t high = word();
    return static_cast<double>((high << 32 | word()) >> 11) * 0x1p-53;
  }

  /// Fisher and Yates.
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t last = values.size(); last > 1; --last)
      std::swap(values[last - 1], values[to_below(word(), static_cast<std::uint32_t>(last))]);
  }

 private:
  RandomStream stream_;
  RandomBits bits_{};
  std::uint32_t drawn_ = 0;
  int used_ = 4;
};

}  // namespace opencd
