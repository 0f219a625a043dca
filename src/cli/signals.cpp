#include "cli/signals.hpp"

#include <unistd.h>

#include <atomic>

namespace opencd::cli {

namespace {

constexpr int kShellOffset = 128;  // shells report a process that a signal ended as 128 + signal

// A signal comes to any thread, while another asks for it.
std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

void take(int signal) {
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) ::_exit(kShellOffset + signal);
}

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  struct sigaction action = {};
  action.sa_handler = take;
  action.sa_flags = SA_RESTART;  // reads and writes go on
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool StopSignals::stop_requested() { return received != 0; }

int StopSignals::exit_code() {
  const int signal = received;
  return signal == 0 ? 0 : kShellOffset + signal;
}

}  // namespace opencd::cli
