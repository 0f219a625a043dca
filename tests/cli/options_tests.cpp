#include "cli/options.hpp"

#include "cli/output.hpp"
#include "error.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("cli/options");

TEST_CASE("long names take _ for -, values keep theirs") {
  const char* argv[] = {"opencd_sycl", "bench", "--mem_limit=a_b", "--log_level", "x_y",
                        "--",          "--a_b"};
  CHECK(cli::normalise_names(7, argv) ==
        std::vector<std::string>{"bench", "--mem-limit=a_b", "--log-level", "x_y", "--", "--a_b"});
}

TEST_CASE("sizes take units of 1024 in any case") {
  CHECK_EQ(cli::parse_bytes("1"), 1);
  CHECK_EQ(cli::parse_bytes("512KiB"), 512 * 1024);
  CHECK_EQ(cli::parse_bytes("1.5g"), 1610612736);
  CHECK_EQ(cli::parse_bytes("2MB"), 2 * 1024 * 1024);
}

TEST_CASE("sizes that are none are refused") {
  for (const char* text : {"", "abc", "0", "-1", "12XB", "1e30T", "nan", "inf"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(cli::parse_bytes(text), UsageError);
  }
}

TEST_CASE("a near name is found, a far one is not") {
  const std::vector<std::string> names = {"--device", "--json", "doctor"};
  CHECK_EQ(cli::nearest_name("--devise", names), "--device");
  CHECK_EQ(cli::nearest_name("--jsn", names), "--json");
  CHECK_EQ(cli::nearest_name("docter", names), "doctor");
  CHECK_EQ(cli::nearest_name("--zzzzzzzzz", names), "");
}

TEST_CASE("control characters never reach the terminal") {
  CHECK_EQ(cli::printable("a\x1b[31mb\x07\x7f\tc"), "a?[31mb???c");
  CHECK_EQ(cli::printable("naïve 名\n"), "naïve 名\n");
}

TEST_SUITE_END();

}  // namespace opencd::test
