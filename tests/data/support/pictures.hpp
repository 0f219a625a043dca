// Pictures for tests that need folders of them.
#pragma once

#include "data/support/files.hpp"

namespace opencd::test {

/// A picture out of tests/golden/images: "rgb420.jpg", "rgb.png", ...
inline ByteVector golden_picture(const std::string& name) {
  return data::read_file(std::filesystem::path(OPENCD_SOURCE_DIR) / "tests" / "golden" / "images" /
                         name);
}

}  // namespace opencd::test
