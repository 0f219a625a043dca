#include "data/npy_writer.hpp"

#include "data/file.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"

#include <fmt/ranges.h>

#include <bit>
#include <functional>
#include <numeric>
#include <string>

namespace opencd::data {

namespace {

static_assert(std::endian::native == std::endian::little, "the file holds the bytes as they lie");

/// Magic, version, length of the dictionary and the dictionary, filled up with spaces so that the
/// elements begin at a multiple of 64 bytes.
std::string header(const char* type, const std::vector<std::size_t>& shape) {
  constexpr std::size_t kStart = 10;
  constexpr std::size_t kAlignment = 64;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 type, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t unpadded = kStart + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string start = "\x93NUMPY";
  for (const std::size_t byte :
       {std::size_t{1}, std::size_t{0}, text.size() & 0xFF, text.size() >> 8})
    start += static_cast<char>(byte);
  return start + text;
}

template <class T>
void write(const std::filesystem::path& path,
           const char* type,
           std::span<const T> values,
           const std::vector<std::size_t>& shape) {
  const std::size_t count =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  if (count != values.size())
    fail<ShapeError>("[npy] {}: expected {} values, got {}", display_name(path), count,
                     values.size());
  files::AtomicFile file(path);
  file.write(header(type, shape));
  file.write(std::as_bytes(values));
  file.commit();
}

}  // namespace

void write_npy(const std::filesystem::path& path,
               std::span<const float> values,
               const std::vector<std::size_t>& shape) {
  write(path, "<f4", values, shape);
}

void write_npy(const std::filesystem::path& path,
               std::span<const std::int32_t> values,
               const std::vector<std::size_t>& shape) {
  write(path, "<i4", values, shape);
}

}  // namespace opencd::data
