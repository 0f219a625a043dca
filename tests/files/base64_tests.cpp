#include "files/base64.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace opencd::test {

TEST_SUITE_BEGIN("files/base64");

TEST_CASE("texts of the standard's examples") {
  const auto encoded = [](std::string_view text) {
    return files::base64(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  CHECK_EQ(encoded(""), "");
  CHECK_EQ(encoded("f"), "Zg==");
  CHECK_EQ(encoded("fo"), "Zm8=");
  CHECK_EQ(encoded("foo"), "Zm9v");
  CHECK_EQ(encoded("foobar"), "Zm9vYmFy");
  CHECK_EQ(files::base64(std::vector<std::uint8_t>{0xfb, 0xff, 0xbf}), "+/+/");
}

TEST_SUITE_END();

}  // namespace opencd::test
