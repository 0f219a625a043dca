// SIGINT and SIGTERM as a wish: the first one is remembered and work ends at the next safe point, with
// everything saved; the second ends the program at once.
#pragma once

#include <csignal>

namespace opencd::cli {

/// While it lives, the two signals are caught; afterwards they do what they did before. One at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(StopSignals&&) = delete;
  ~StopSignals();

  /// Whether one of them has come. Cheap: to be asked at every step, in every stage.
  static bool stop_requested();

  /// 130 after SIGINT, 143 after SIGTERM, 0 if neither came.
  static int exit_code();

 private:
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
};

}  // namespace opencd::cli
