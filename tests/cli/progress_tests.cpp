#include "cli/progress.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("cli/progress");

TEST_CASE("times are told in two units at most") {
  CHECK_EQ(cli::format_seconds(0.2), "0 s");
  CHECK_EQ(cli::format_seconds(59.4), "59 s");
  CHECK_EQ(cli::format_seconds(200.0), "3 min 20 s");
  CHECK_EQ(cli::format_seconds(7500.0), "2 h 5 min");
}

TEST_SUITE_END();

}  // namespace opencd::test
