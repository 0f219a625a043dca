// Reading what a method had saved: JSON of the wrong shape is a damaged file, whichever method reads it.
#pragma once

#include "error.hpp"
#include "opencd/method.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace opencd {

/// Calls `read()`. Throws FormatError that names the method if it meets JSON that does not read.
template <class Read>
void read_state(const char* method, Read read) {
  try {
    read();
  } catch (const Json::exception& error) {
    fail<FormatError>("[{}] the state does not read: {}", method, error.what());
  }
}

/// JSON as a message quotes it: ASCII, the beginning of it.
inline std::string quoted(const Json& json) {
  constexpr std::size_t kMost = 40;
  const std::string text = json.dump(-1, ' ', true);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

/// A number of things, `least` to `most`. JSON would also make one of -1, 1.5 or true.
inline std::size_t read_count(const Json& json, std::size_t least, std::size_t most) {
  const bool whole =
      json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0);
  if (!whole || json.get<std::size_t>() < least || json.get<std::size_t>() > most)
    fail<FormatError>("[method] expected a number from {} to {}, the state has {}", least, most,
                      quoted(json));
  return json.get<std::size_t>();
}

/// The groups, below `groups`, of things.
inline std::vector<std::int32_t> read_groups(const Json& json, std::size_t groups) {
  std::vector<std::int32_t> found;
  for (const Json& group : json.get_ref<const Json::array_t&>())
    found.push_back(static_cast<std::int32_t>(read_count(group, 0, groups - 1)));
  return found;
}

/// A number that is one: JSON's 1 and 0.5, not true.
inline double read_number(const Json& json) {
  if (!json.is_number())
    fail<FormatError>("[method] expected a number, the state has {}", quoted(json));
  return json.get<double>();
}

}  // namespace opencd
