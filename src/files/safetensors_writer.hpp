// Writer of safetensors files, one tensor at a time: no more than one needs to be in host memory.
// The file appears under its name only after `commit` (see atomic_file.hpp).
#pragma once

#include "files/atomic_file.hpp"
#include "files/safetensors_header.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace opencd::files {

class SafetensorsWriter {
 public:
  /// Declares all tensors and writes the header. Throws ShapeError for names that repeat and for
  /// impossible shapes, FormatError if the file cannot be written or has no room.
  SafetensorsWriter(const std::filesystem::path& path,
                    std::span<const TensorEntry> tensors,
                    const Metadata& metadata = {});

  /// Writes the next tensor: tensors come in the order they were declared. Another name, type or
  /// number of elements than declared throws ShapeError.
  template <Element T>
  void write(std::string_view name, std::span<const T> values) {
    write_bytes(name, element_type_of<T>(), std::as_bytes(values));
  }

  /// The same for elements without a C++ type, f16 and bf16: row-major, little-endian.
  void write_bytes(std::string_view name, ElementType type, std::span<const std::byte> bytes);

  /// Throws ShapeError if a declared tensor was not written.
  void commit();

 private:
  std::vector<TensorInfo> tensors_;
  std::size_t next_ = 0;
  AtomicFile file_;
};

}  // namespace opencd::files
