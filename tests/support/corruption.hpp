// Files as a bad disk or a careless hand leaves them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace opencd::test {

/// `whole` cut at every byte, and with every byte changed in several ways: bits, and characters that text formats mind.
inline std::vector<std::string> corruptions(const std::string& whole) {
  std::vector<std::string> all;
  for (std::size_t size = 0; size < whole.size(); ++size) all.push_back(whole.substr(0, size));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    const auto put = [&](int byte) {
      bytes[at] = static_cast<char>(byte);
      if (bytes != whole) all.push_back(bytes);
    };
    for (const int bit : {0, 4, 5, 7}) put(whole[at] ^ (1 << bit));
    for (const char byte : {'"', '{', ']', ',', '-', '9', '\n', '\0'}) put(byte);
  }
  return all;
}

/// JSON values of every type, each out of place somewhere.
inline std::vector<std::string> json_of_every_type() {
  return {"null",     "true", "-1",    "1.5", "1e300",     "18446744073709551615",
          "\"text\"", "[]",   "[[1]]", "{}",  "{\"a\": 1}"};
}

}  // namespace opencd::test
