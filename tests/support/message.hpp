// What texts hold, above all those of expected failures: a test can say what they must tell the user.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace opencd::test {

/// The message of the `Kind` that `action` throws; fails the test if it throws nothing or another
/// kind.
template <class Kind, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Kind& error) {
    return error.what();
  } catch (const std::exception& error) {
    FAIL_CHECK("another kind of failure: " << error.what());
    return "";
  }
  FAIL_CHECK("no failure");
  return "";
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// How often `part` begins in `text`.
inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Empty if `text` contains `part`, else both.
inline std::string lack(std::string_view text, std::string_view part) {
  if (contains(text, part)) return "";
  return fmt::format("\"{}\" lacks \"{}\"", text, part);
}

}  // namespace opencd::test

/// Fails with both texts unless `text` contains `part`.
#define CHECK_CONTAINS(text, part) CHECK_EQ(::opencd::test::lack(text, part), "")
