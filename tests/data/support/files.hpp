// Folders and files that tests make and leave nothing of.
#pragma once

#include "data/file.hpp"
#include "error.hpp"

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

/// A folder that is gone at the end of the test.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "opencd-test-XXXXXX").string();
    REQUIRE_NE(::mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, and the folders above it; returns its path.
  std::filesystem::path write(const std::string& name, const ByteVector& bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    data::write_file(file, bytes);
    return file;
  }
  std::filesystem::path write_text(const std::string& name, std::string_view text) const {
    return write(name, ByteVector(text.begin(), text.end()));
  }

 private:
  std::filesystem::path path_;
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
