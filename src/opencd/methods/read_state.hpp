// Reading what a method had saved: JSON of the wrong shape is a damaged file, whichever method reads it.
#pragma once

#include "error.hpp"
#include "opencd/method.hpp"

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

}  // namespace opencd
