#include "cli/signals.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>
#include <thread>

namespace opencd::test {

using cli::StopSignals;

namespace {

/// The exit code of a process that does `work`, or 1000 + the signal that ended it.
template <class Work>
int outcome(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_SUITE_BEGIN("cli/signals");

TEST_CASE("the first signal is a wish, with the exit code a shell expects") {
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    const StopSignals signals;
    CHECK_FALSE(StopSignals::stop_requested());
    CHECK_EQ(StopSignals::exit_code(), 0);
    ::raise(signal);
    CHECK(StopSignals::stop_requested());
    CHECK_EQ(StopSignals::exit_code(), signal == SIGINT ? 130 : 143);
  }
}

TEST_CASE("a signal may come to any thread") {
  const StopSignals signals;
  std::thread other([] { ::raise(SIGINT); });
  while (!StopSignals::stop_requested()) std::this_thread::yield();
  CHECK_EQ(StopSignals::exit_code(), 130);
  other.join();
}

TEST_CASE("the second signal ends the program at once") {
  const auto twice = [](int first, int second) {
    return outcome([=] {
      const StopSignals signals;
      ::raise(first);
      ::raise(second);
    });
  };
  CHECK_EQ(twice(SIGINT, SIGINT), 130);
  CHECK_EQ(twice(SIGTERM, SIGTERM), 143);
  CHECK_EQ(twice(SIGTERM, SIGINT), 130);
}

TEST_CASE("afterwards the signals do what they did before") {
  CHECK_EQ(outcome([] {
             std::signal(SIGTERM, SIG_DFL);  // the test program has a handler of its own
             {
               const StopSignals signals;
             }
             ::raise(SIGTERM);
           }),
           1000 + SIGTERM);
}

TEST_SUITE_END();

}  // namespace opencd::test
