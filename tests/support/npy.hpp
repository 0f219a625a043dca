// Reads NumPy arrays from golden files, which may hold several arrays one after the other. For
// files that this repository made: C order, little-endian, format version 1.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace opencd::test {

template <class T>
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

/// A golden file by its name under tests/golden.
inline std::ifstream open_golden(const std::string& name) {
  std::ifstream file(std::string(OPENCD_GOLDEN_DIR) + "/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open golden file " + name);
  return file;
}

/// The next array of the file, which must hold elements of type T.
template <class T>
NpyArray<T> read_npy(std::istream& file) {
  char start[10];
  file.read(start, sizeof start);
  const auto byte = [&](int i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(start[i]));
  };
  std::string header(byte(8) + 256 * byte(9), '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  const std::string type =
      fmt::format("'descr': '{}{}{}'", sizeof(T) == 1 ? '|' : '<', kind, sizeof(T));
  if (!file || header.find(type) == std::string::npos)
    throw std::runtime_error(fmt::format("expected an array with {}, got {}", type, header));

  NpyArray<T> array;
  std::size_t count = 1;
  std::size_t at = header.find('(') + 1;
  while (header[at] != ')') {
    std::size_t used = 0;
    array.shape.push_back(std::stoul(header.substr(at), &used));
    count *= array.shape.back();
    at = header.find_first_of("0123456789)", at + used);
  }
  array.values.resize(count);
  file.read(reinterpret_cast<char*>(array.values.data()),
            static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) throw std::runtime_error("a golden array is cut short");
  return array;
}

}  // namespace opencd::test
