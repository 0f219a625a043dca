// Test cases that lack what they need, a data set or a right of the user. Nothing of that is silent:
// every skipped case is listed at the end of scripts/test, and a binary in which all the selected
// cases were skipped ends with kSkippedExitCode, which is what CTest goes by. No text decides.
#pragma once

#include <string>

namespace opencd::test {

inline constexpr int kSkippedExitCode = 77;

/// Says that the running test case is skipped, and why; `SKIP_CASE` also leaves it. A check that has
/// failed before still fails the case.
void note_skipped_case(const std::string& reason);

}  // namespace opencd::test

#define SKIP_CASE(reason)                        \
  do {                                           \
    ::opencd::test::note_skipped_case((reason)); \
    return;                                      \
  } while (false)
