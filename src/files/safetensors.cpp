#include "files/safetensors.hpp"

#include "error.hpp"
#include "files/printable.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace opencd::files {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

namespace {
constexpr std::uint64_t kLengthBytes = 8;

/// The length of the JSON text, checked against the file before anything is allocated for it.
std::uint64_t header_length(const InputFile& file) {
  if (file.size() < kLengthBytes)
    fail<FormatError>("[safetensors] {}: {} bytes, too short for a safetensors file",
                      in_quotes(file.path().native()), file.size());
  std::uint64_t length = 0;
  file.read_at(0, std::as_writable_bytes(std::span(&length, 1)));
  const std::uint64_t most = std::min(kMostHeaderBytes, file.size() - kLengthBytes);
  if (length > most)
    fail<FormatError>(
        "[safetensors] {}: a header of {} bytes, expected at most {}; not a "
        "safetensors file, or cut short",
        in_quotes(file.path().native()), length, most);
  return length;
}
}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  std::string text(header_length(file_), '\0');
  file_.read_at(kLengthBytes, std::as_writable_bytes(std::span(text)));
  data_begin_ = kLengthBytes + text.size();
  header_ = parse_header(text, file_.size() - data_begin_, path);
  for (const TensorInfo& tensor : header_.tensors) by_name_.emplace(tensor.name, &tensor);
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const TensorInfo& SafetensorsFile::at(std::string_view name) const {
  const TensorInfo* tensor = find(name);
  if (!tensor)
    fail<FormatError>("[safetensors] {}: no tensor {} among its {}", in_quotes(path().native()),
                      in_quotes(name), tensors().size());
  return *tensor;
}

const TensorInfo& SafetensorsFile::checked(std::string_view name, ElementType type) const {
  const TensorInfo& tensor = at(name);
  if (tensor.type != type)
    fail<FormatError>("[safetensors] {}: tensor {} is {}, expected {}", in_quotes(path().native()),
                      in_quotes(name), name_of(tensor.type), name_of(type));
  return tensor;
}

void SafetensorsFile::read_data(const TensorInfo& tensor,
                                std::uint64_t from,
                                std::span<std::byte> dst) const {
  file_.read_at(data_begin_ + tensor.begin + from, dst);
}

std::vector<std::byte> SafetensorsFile::read_bytes(std::string_view name) const {
  const TensorInfo& tensor = at(name);
  std::vector<std::byte> bytes(tensor.bytes());
  read_data(tensor, 0, bytes);
  return bytes;
}

std::vector<float> SafetensorsFile::read_f32(std::string_view name) const {
  const TensorInfo& tensor = at(name);
  const bool is_f16 = tensor.type == ElementType::f16;
  if (!is_f16 && tensor.type != ElementType::bf16) return read<float>(name);
  std::vector<float> values(tensor.elements());
  std::array<std::uint16_t, 4096> block;  // a second copy of a whole tensor is not needed
  for (std::size_t done = 0; done < values.size(); done += block.size()) {
    const auto part = std::span(block).first(std::min(block.size(), values.size() - done));
    read_data(tensor, done * sizeof(std::uint16_t), std::as_writable_bytes(part));
    std::ranges::transform(part, values.begin() + static_cast<std::ptrdiff_t>(done),
                           is_f16 ? f16_to_f32 : bf16_to_f32);
  }
  return values;
}

}  // namespace opencd::files
