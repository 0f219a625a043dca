#include "files/element_type.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

namespace opencd::test {

using namespace files;

namespace {
/// The value of sign, exponent and fraction by definition, in double.
double by_definition(std::uint16_t bits, int fraction_bits, int exponent_bits) {
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

void check_same(float actual, double expected) {
  if (std::isnan(expected)) {
    REQUIRE(std::isnan(actual));
    return;
  }
  REQUIRE_EQ(static_cast<double>(actual), expected);
  REQUIRE_EQ(std::signbit(actual), std::signbit(expected));
}
}  // namespace

TEST_SUITE_BEGIN("files/element_type");

TEST_CASE("all 65,536 f16 and bf16 numbers become the f32 number of the same value") {
  for (std::uint32_t bits = 0; bits < 65'536; ++bits) {
    CAPTURE(bits);
    const auto half = static_cast<std::uint16_t>(bits);
    check_same(f16_to_f32(half), by_definition(half, 10, 5));
    check_same(bf16_to_f32(half), by_definition(half, 7, 8));
  }
}

TEST_CASE("names and types stand for each other") {
  for (const auto type : {ElementType::f64, ElementType::f32, ElementType::f16, ElementType::bf16,
                          ElementType::i64, ElementType::i32, ElementType::u8})
    CHECK_EQ(element_type_named(name_of(type)), type);
  CHECK_EQ(name_of(ElementType::bf16), "BF16");
  CHECK_EQ(bytes_of(ElementType::bf16), 2);
  CHECK_EQ(bytes_of(element_type_of<double>()), sizeof(double));
  CHECK_EQ(bytes_of(element_type_of<std::int32_t>()), sizeof(std::int32_t));
  CHECK_FALSE(element_type_named("BOOL"));
  CHECK_FALSE(element_type_named(""));
}

TEST_SUITE_END();

}  // namespace opencd::test
