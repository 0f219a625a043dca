// Progress of long work on stderr: a line that renews itself on a terminal, a plain line now and then
// elsewhere, with rate and time left.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace opencd::cli {

class Progress {
 public:
  /// `total` items of `unit`; says nothing at all if `quiet`.
  Progress(std::string what, std::size_t total, std::string unit, bool quiet);

  void update(std::size_t done);
  /// Ends the line. Nothing follows.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(std::size_t done) const;

  std::string what_;
  std::size_t total_;
  std::string unit_;
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

/// "45 s", "3 min 20 s", "2 h 5 min"
std::string format_seconds(double seconds);

}  // namespace opencd::cli
