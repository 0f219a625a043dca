#include "files/base64.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace opencd::files {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t triple = 0;
    for (std::size_t k = 0; k < 3; ++k) triple = triple << 8U | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kLetters[triple >> (18U - 6U * k) & 63U] : '=';
  }
  return text;
}

}  // namespace opencd::files
