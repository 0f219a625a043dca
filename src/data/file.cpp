#include "data/file.hpp"

#include "data/utf8.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/input_file.hpp"

namespace opencd::data {

std::vector<std::uint8_t> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const files::InputFile file(path);
  if (file.size() > max_bytes)
    fail<FormatError>("[read] {}: {} bytes, expected at most {}", display_name(path), file.size(),
                      max_bytes);
  std::vector<std::uint8_t> bytes(file.size());
  file.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

void write_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  files::AtomicFile file(path);
  file.write(std::as_bytes(bytes));
  file.commit();
}

bool is_clean_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || is_control(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string display_text(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || is_control(text.substr(0, length))) {
      clean += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
      text.remove_prefix(1);
    } else {
      clean += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

std::string display_name(const std::filesystem::path& path) { return display_text(path.native()); }

}  // namespace opencd::data
