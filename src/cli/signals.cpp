#include "cli/signals.hpp"

#include <unistd.h>

namespace opencd::cli {

namespace {

constexpr int kShellOffset = 128;  // shells report a process that a signal ended as 128 + signal

volatile std::sig_atomic_t received = 0;

void take(int signal) {
  if (received != 0) ::_exit(kShellOffset + signal);
  received = signal;
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

int StopSignals::exit_code() { return received == 0 ? 0 : kShellOffset + received; }

}  // namespace opencd::cli
