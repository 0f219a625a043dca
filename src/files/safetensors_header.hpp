// The header of a safetensors file: which tensors the data behind it holds, and where.
//
//   8 bytes   N, little-endian
//   N bytes   JSON: {"__metadata__": {"key": "text"},
//                    "conv1.weight": {"dtype": "F32", "shape": [64, 3, 3, 3], "data_offsets": [0, 6912]}, ...}
//             padded with spaces so that the data starts at a multiple of 8
//   the rest  the tensors, row-major, little-endian, without gaps; offsets count from here
#pragma once

#include "files/element_type.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::files {

using Metadata = std::map<std::string, std::string>;

/// A tensor as a writer declares it.
struct TensorEntry {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;  // empty: a single number
};

/// A tensor as a file holds it: bytes [begin, end) of the data.
struct TensorInfo : TensorEntry {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t bytes() const { return end - begin; }
  std::uint64_t elements() const { return bytes() / bytes_of(type); }
};

struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;  // in the order of their data
  Metadata metadata;
};

/// Longest header that is read or written, as in the format's own library.
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;

/// Reads the JSON text of a header in front of `data_bytes` bytes of data. Throws FormatError, which
/// names `file` and the tensor, unless every tensor is described completely, its size follows from
/// its type and shape, and the tensors fill the data exactly.
SafetensorsHeader parse_header(std::string_view json,
                               std::uint64_t data_bytes,
                               const std::filesystem::path& file);

/// Lays out tensors one behind the other, in the order given. Throws ShapeError for a negative or
/// overflowing shape.
std::vector<TensorInfo> lay_out(std::span<const TensorEntry> tensors);

/// The bytes in front of the data: length, JSON, padding. The same bytes that the Python library
/// writes for the same tensors in the same order.
std::string format_header(std::span<const TensorInfo> tensors, const Metadata& metadata);

/// "[64, 3, 3, 3]"
std::string format_shape(std::span<const std::int64_t> shape);

}  // namespace opencd::files
