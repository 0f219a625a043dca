#include "philox.hpp"

#include <doctest/doctest.h>

#include <set>

namespace opencd::test {

namespace {
void check_words(
    const RandomBits& bits, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  CHECK_EQ(bits.word[0], a);
  CHECK_EQ(bits.word[1], b);
  CHECK_EQ(bits.word[2], c);
  CHECK_EQ(bits.word[3], d);
}
}  // namespace

TEST_SUITE_BEGIN("core/philox");

TEST_CASE("philox gives the published vectors") {
  check_words(philox({{0, 0, 0, 0}}, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  constexpr std::uint32_t ones = 0xffffffff;
  check_words(philox({{ones, ones, ones, ones}}, ones, ones), 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
              0x6d5451fd);
  check_words(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
              0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST_CASE("unit floats stay below one and bounded integers below their bound") {
  CHECK_EQ(to_unit_float(0), 0.0f);
  CHECK_LT(to_unit_float(0xffffffff), 1.0f);
  CHECK_EQ(to_below(0xffffffff, 7), 6);
  CHECK_EQ(to_below(0, 7), 0);
}

TEST_CASE("streams differ in every part of their address") {
  std::set<std::uint32_t> first_words;
  const RandomStream base{1, RandomPurpose::test, 2, 3};
  first_words.insert(base.draw(0).word[0]);
  first_words.insert(base.draw(1).word[0]);
  first_words.insert(RandomStream{2, RandomPurpose::test, 2, 3}.draw(0).word[0]);
  first_words.insert(RandomStream{1, RandomPurpose::augmentation, 2, 3}.draw(0).word[0]);
  first_words.insert(RandomStream{1, RandomPurpose::test, 3, 3}.draw(0).word[0]);
  first_words.insert(RandomStream{1, RandomPurpose::test, 2, 4}.draw(0).word[0]);
  first_words.insert(RandomStream{1, RandomPurpose::test, 2, 3 + (1ull << 32)}.draw(0).word[0]);
  CHECK_EQ(first_words.size(), 7);
}

TEST_SUITE_END();

}  // namespace opencd::test
