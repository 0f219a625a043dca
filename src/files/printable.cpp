#include "files/printable.hpp"

#include <fmt/format.h>

namespace opencd::files {

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  for (std::size_t i = 0; i < text.size() && i < most; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // The C1 controls of Unicode, U+0080 to U+009F, are C2 80 to C2 9F in UTF-8.
    const bool second_of_c1 = i > 0 && text[i - 1] == '\xc2' && byte >= 0x80 && byte < 0xa0;
    if (byte < 0x20 || byte == 0x7f || second_of_c1)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += text[i];
  }
  if (text.size() > most) shown += "...";
  return shown;
}

std::string in_quotes(std::string_view text) { return '"' + printable(text) + '"'; }

}  // namespace opencd::files
