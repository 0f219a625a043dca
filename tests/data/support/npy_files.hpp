// .npy files with any header a test wants, and .npz archives of them.
#pragma once

#include "data/support/files.hpp"

#include <zip.h>

#include <cstring>
#include <map>

namespace opencd::test {

template <class T>
ByteVector bytes_of(std::initializer_list<T> values) {
  ByteVector bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

inline ByteVector npy_with_header(const std::string& header, const ByteVector& data) {
  ByteVector bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  bytes.push_back(static_cast<std::uint8_t>(header.size() + 1));
  bytes.push_back(static_cast<std::uint8_t>((header.size() + 1) >> 8));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.push_back('\n');
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

inline ByteVector npy_file(const std::string& type,
                           const std::string& shape,
                           const ByteVector& data,
                           const std::string& fortran_order = "False") {
  return npy_with_header(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type,
                                     fortran_order, shape),
                         data);
}

/// A compressed archive with the given entries.
inline std::filesystem::path write_zip(const std::filesystem::path& path,
                                       const std::map<std::string, ByteVector>& entries) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  REQUIRE_NE(archive, nullptr);
  for (const auto& [name, bytes] : entries) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    REQUIRE_GE(zip_file_add(archive, name.c_str(), source, 0), 0);
  }
  REQUIRE_EQ(zip_close(archive), 0);
  return path;
}

}  // namespace opencd::test
