// Reader of safetensors files. Opening one reads and checks the header alone; tensors are read when
// they are asked for. Every FormatError names the file, the tensor, what was expected and what came.
#pragma once

#include "files/input_file.hpp"
#include "files/safetensors_header.hpp"

#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace opencd::files {

class SafetensorsFile {
 public:
  /// Throws FormatError unless the file keeps every rule of `parse_header`.
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const Metadata& metadata() const { return header_.metadata; }

  /// In the order of their data.
  const std::vector<TensorInfo>& tensors() const { return header_.tensors; }

  /// Null if there is no such tensor.
  const TensorInfo* find(std::string_view name) const;

  /// An F32, F16 or BF16 tensor as f32, which is exact. Other types throw FormatError.
  std::vector<float> read_f32(std::string_view name) const;

  /// The bytes of a tensor of any type.
  std::vector<std::byte> read_bytes(std::string_view name) const;

  /// A tensor whose element type is T; another type throws FormatError.
  template <Element T>
  std::vector<T> read(std::string_view name) const {
    const TensorInfo& tensor = checked(name, element_type_of<T>());
    std::vector<T> values(tensor.elements());
    read_data(tensor, 0, std::as_writable_bytes(std::span(values)));
    return values;
  }

 private:
  const TensorInfo& at(std::string_view name) const;
  const TensorInfo& checked(std::string_view name, ElementType type) const;
  void read_data(const TensorInfo& tensor, std::uint64_t from, std::span<std::byte> dst) const;

  InputFile file_;
  std::uint64_t data_begin_ = 0;
  SafetensorsHeader header_;
  std::map<std::string_view, const TensorInfo*> by_name_;  // into header_
};

}  // namespace opencd::files
