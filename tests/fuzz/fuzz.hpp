// What all fuzz targets share: bytes in, nothing out but complaints about the bytes.
#pragma once

#include "error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace opencd::fuzz {

/// The name that parsers are told; every complaint must hold it.
inline const std::string kName = "fuzzed.file";

/// Runs a parser. Bytes may be refused as FormatError with the file's name; anything else that is
/// thrown ends the run as a crash.
template <class Parse>
int try_to(Parse parse) {
  try {
    parse();
  } catch (const FormatError& error) {
    if (std::string_view(error.what()).find(kName) == std::string_view::npos) __builtin_trap();
  }
  return 0;
}

}  // namespace opencd::fuzz
