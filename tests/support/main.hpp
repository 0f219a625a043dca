// What test support registers with the main function of the tests.
#pragma once

#include <functional>

namespace opencd::test {

/// Runs `action` after the last test, the newest first: SYCL objects must be gone before static
/// destructors run.
void at_end(std::function<void()> action);

}  // namespace opencd::test
