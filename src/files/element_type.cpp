#include "files/element_type.hpp"

#include <array>
#include <bit>

namespace opencd::files {

namespace {
struct Row {
  std::string_view name;
  std::size_t bytes;
};

/// In the order of the enumerators.
constexpr std::array<Row, 7> kTable = {
    {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4}, {"U8", 1}}};

const Row& row_of(ElementType type) { return kTable.at(static_cast<std::size_t>(type)); }
}  // namespace

std::string_view name_of(ElementType type) { return row_of(type).name; }

std::size_t bytes_of(ElementType type) { return row_of(type).bytes; }

std::string_view element_type_names() { return "F64, F32, F16, BF16, I64, I32, U8"; }

std::optional<ElementType> element_type_named(std::string_view name) {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (kTable[i].name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16u;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u)  // infinity or NaN
    return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13u);
  // Moved to the place of an f32's exponent and fraction, the bits mean the f16's value times
  // 2^(15-127), subnormal numbers included; the product with 2^112 is exact.
  const float scaled = std::bit_cast<float>(magnitude << 13u) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

float bf16_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16u);
}

}  // namespace opencd::files
