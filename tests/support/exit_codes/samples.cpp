// Test cases that end in every way, for exit_codes/check: some of them fail on purpose.
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

TEST_CASE("says twice that it skips") {
  opencd::test::note_skipped_case("no first file");
  SKIP_CASE("no second file");
}
TEST_CASE("passes") { CHECK(true); }
TEST_CASE("skips") { SKIP_CASE("nothing to read"); }
TEST_CASE("skips too") { SKIP_CASE("nothing to read here"); }
TEST_CASE("fails") { CHECK(false); }
TEST_CASE("fails and then skips") {
  CHECK(false);
  SKIP_CASE("nothing to read");
}
TEST_CASE("throws and says SKIPPED: no data") { throw std::runtime_error("SKIPPED: no data"); }
