#include "files/safetensors_writer.hpp"

#include "error.hpp"
#include "files/printable.hpp"

namespace opencd::files {

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path,
                                     std::span<const TensorEntry> tensors,
                                     const Metadata& metadata)
    : tensors_(lay_out(tensors)), file_(path) {
  const std::string header = format_header(tensors_, metadata);
  file_.reserve(header.size() + (tensors_.empty() ? 0 : tensors_.back().end));
  file_.write(header);
}

void SafetensorsWriter::write_bytes(std::string_view name,
                                    ElementType type,
                                    std::span<const std::byte> bytes) {
  if (next_ == tensors_.size())
    fail<ShapeError>("[safetensors] tensor {} was not declared", in_quotes(name));
  const TensorInfo& expected = tensors_[next_];
  if (name != expected.name)
    fail<ShapeError>("[safetensors] expected tensor {}, got {}", in_quotes(expected.name),
                     in_quotes(name));
  if (type != expected.type || bytes.size() != expected.bytes())
    fail<ShapeError>("[safetensors] tensor {} was declared as {} {} ({} bytes), got {} bytes of {}",
                     in_quotes(name), name_of(expected.type), format_shape(expected.shape),
                     expected.bytes(), bytes.size(), name_of(type));
  file_.write(bytes);
  ++next_;
}

void SafetensorsWriter::commit() {
  if (next_ != tensors_.size())
    fail<ShapeError>("[safetensors] {}: tensor {} was declared but not written",
                     in_quotes(file_.path().native()), in_quotes(tensors_[next_].name));
  file_.commit();
}

}  // namespace opencd::files
