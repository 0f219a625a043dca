// Folders and files that tests make and leave nothing of.
#pragma once

#include "data/file.hpp"
#include "error.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::test {

using ByteVector = std::vector<std::uint8_t>;

/// A temporary folder that files are written into through the data layer.
class TempFolder : public TemporaryFolder {
 public:
  /// Writes a file, and the folders above it; returns its path.
  std::filesystem::path write(const std::string& name, const ByteVector& bytes) const {
    const std::filesystem::path file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    data::write_file(file, bytes);
    return file;
  }
  std::filesystem::path write_text(const std::string& name, std::string_view text) const {
    return write(name, ByteVector(text.begin(), text.end()));
  }
};

/// What `action` complains about as `Kind`; "" if it does not.
template <class Kind, class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const Kind& error) {
    return error.what();
  }
  return "";
}

template <class Action>
std::string format_complaint(Action action) {
  return complaint<FormatError>(action);
}

}  // namespace opencd::test

/// Checks that `expression` is refused as bad input with a message that holds `words`.
#define CHECK_REFUSED(expression, words)                                          \
  do {                                                                            \
    const std::string message =                                                   \
        ::opencd::test::format_complaint([&] { static_cast<void>(expression); }); \
    INFO("message: ", message);                                                   \
    CHECK_NE(message, "");                                                        \
    CHECK_NE(message.find(words), std::string::npos);                             \
  } while (false)
