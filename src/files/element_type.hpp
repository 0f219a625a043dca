// The element types that weight files hold, by the names of the safetensors format.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace opencd::files {

enum class ElementType { f64, f32, f16, bf16, i64, i32, u8 };

/// "F32"
std::string_view name_of(ElementType type);

/// Nothing if the name is not one of ours.
std::optional<ElementType> element_type_named(std::string_view name);

/// All the names, for messages: "F64, F32, F16, BF16, I64, I32, U8"
std::string_view element_type_names();

std::size_t bytes_of(ElementType type);

/// The C++ types that stand for an element type. C++20 has none for f16 and bf16.
template <class T>
concept Element =
    std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::int32_t> || std::same_as<T, std::uint8_t>;

template <Element T>
constexpr ElementType element_type_of() {
  if constexpr (std::same_as<T, double>) return ElementType::f64;
  if constexpr (std::same_as<T, float>) return ElementType::f32;
  if constexpr (std::same_as<T, std::int64_t>) return ElementType::i64;
  if constexpr (std::same_as<T, std::int32_t>) return ElementType::i32;
  if constexpr (std::same_as<T, std::uint8_t>) return ElementType::u8;
}

/// Exact: every f16 and bf16 number is an f32 number. Infinities and NaN keep their kind.
float f16_to_f32(std::uint16_t bits);
float bf16_to_f32(std::uint16_t bits);

}  // namespace opencd::files
