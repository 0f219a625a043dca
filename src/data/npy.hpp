// NumPy's .npy arrays and .npz archives of them. Strict: little-endian numbers in C order only, no
// object arrays (those are pickled programs), and a file is exactly as long as its header says.
#pragma once

#include "data/image_set.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace opencd::data {

enum class NpyType { u8, i8, u16, i16, u32, i32, u64, i64, f16, f32, f64 };

std::size_t size_of(NpyType type);

struct NpyArray {
  std::string name;  ///< of its file, for messages
  NpyType type = NpyType::u8;
  std::vector<std::size_t> shape;
  Bytes bytes;

  std::size_t elements() const { return bytes.size() / size_of(type); }
  /// As text: "(50000, 32, 32, 3)".
  std::string shape_text() const;
};

/// The head of a .npy file and where its elements begin.
struct NpyHeader {
  NpyType type = NpyType::u8;
  std::vector<std::size_t> shape;
  std::size_t header_bytes = 0;
  std::size_t data_bytes = 0;
};

/// Longest header that is looked at; NumPy writes 128 bytes for all but odd arrays.
constexpr std::size_t kMaxNpyHeader = 1 << 16;

/// Parses the header; `file` may hold only the first kMaxNpyHeader bytes.
NpyHeader parse_npy_header(std::span<const std::uint8_t> file, const std::string& name);

/// The array in `file`, which must be exactly that long.
NpyArray parse_npy(const Bytes& file, const std::string& name);
NpyArray read_npy(const std::filesystem::path& path);

using NpyArchive = std::map<std::string, NpyArray>;

/// All arrays of a .npz, by name without ".npy".
NpyArchive parse_npz(std::span<const std::uint8_t> file, const std::string& name);
NpyArchive read_npz(const std::filesystem::path& path);

/// All elements as floats; FormatError names the first that is not finite.
std::vector<float> to_floats(const NpyArray& array);

/// A one-dimensional array of whole numbers as labels: 0 and up, or -1 for none.
std::vector<std::int32_t> to_labels(const NpyArray& array);

}  // namespace opencd::data
