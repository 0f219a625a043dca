// The elements of .npy arrays as the numbers the program works with.
#include "data/npy.hpp"
#include "error.hpp"
#include "files/element_type.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace opencd::data {

namespace {

/// IEEE half precision, as stored.
struct Half {
  std::uint16_t bits;

  explicit operator float() const { return files::f16_to_f32(bits); }
};

/// Calls `use(value, index)` for every element as its own type.
template <class T, class Use>
void each_as(const NpyArray& array, Use use) {
  const std::uint8_t* at = array.bytes.view().data();
  for (std::size_t i = 0; i < array.elements(); ++i, at += sizeof(T)) {
    T value;
    std::memcpy(&value, at, sizeof(T));  // the elements need not be aligned
    use(value, i);
  }
}

template <class Use>
void each_value(const NpyArray& array, Use use) {
  switch (array.type) {
    case NpyType::u8: return each_as<std::uint8_t>(array, use);
    case NpyType::i8: return each_as<std::int8_t>(array, use);
    case NpyType::u16: return each_as<std::uint16_t>(array, use);
    case NpyType::i16: return each_as<std::int16_t>(array, use);
    case NpyType::u32: return each_as<std::uint32_t>(array, use);
    case NpyType::i32: return each_as<std::int32_t>(array, use);
    case NpyType::u64: return each_as<std::uint64_t>(array, use);
    case NpyType::i64: return each_as<std::int64_t>(array, use);
    case NpyType::f16: return each_as<Half>(array, use);
    case NpyType::f32: return each_as<float>(array, use);
    case NpyType::f64: return each_as<double>(array, use);
  }
}

/// Where element i is, in the words of the array's shape.
std::string place_text(const NpyArray& array, std::size_t i) {
  if (array.shape.size() != 2) return fmt::format("element {}", i);
  return fmt::format("row {}, column {}", i / array.shape[1], i % array.shape[1]);
}

}  // namespace

std::vector<float> to_floats(const NpyArray& array) {
  std::vector<float> values(array.elements());
  each_value(array, [&](auto value, std::size_t i) {
    values[i] = static_cast<float>(value);
    if (!std::isfinite(values[i]))
      fail<FormatError>("[npy] {}, {}: expected a finite number, got {}", array.name,
                        place_text(array, i), values[i]);
  });
  return values;
}

std::vector<std::int32_t> to_labels(const NpyArray& array) {
  if (array.shape.size() != 1)
    fail<FormatError>("[npy] {}: expected labels in one dimension, got {}", array.name,
                      array.shape_text());
  std::vector<std::int32_t> labels(array.elements());
  each_value(array, [&]<class T>(T value, std::size_t i) {
    if constexpr (std::is_integral_v<T>) {
      if (!std::in_range<std::int32_t>(value) || std::cmp_less(value, kNoLabel))
        fail<FormatError>("[npy] {}, element {}: expected a class number or -1, got {}", array.name,
                          i, value);
      labels[i] = static_cast<std::int32_t>(value);
    } else {
      fail<FormatError>("[npy] {}: expected whole numbers as labels", array.name);
    }
  });
  return labels;
}

}  // namespace opencd::data
