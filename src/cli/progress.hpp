// Progress of long work on stderr: a line that renews itself on a terminal, a plain line now and then
// elsewhere, with rate and time left.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace opencd::cli {

/// The place on stderr where progress is shown.
class StatusLine {
 public:
  /// Says nothing at all if `quiet`.
  explicit StatusLine(bool quiet);

  /// Whether the last line is old enough for a new one.
  bool due() const;
  /// Shows `text`: on a terminal in place of the line before, else below it.
  void show(const std::string& text);
  /// Takes the line away, so that other text can be written.
  void clear();

  /// "[=====     ] " on a terminal, nothing elsewhere.
  std::string bar(std::size_t done, std::size_t total) const;

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point last_;
};

class Progress {
 public:
  /// `total` items of `unit`; says nothing at all if `quiet`.
  Progress(std::string what, std::size_t total, std::string unit, bool quiet);

  void update(std::size_t done);
  /// Ends the line. Nothing follows.
  void finish() { status_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(std::size_t done) const;

  std::string what_;
  std::size_t total_;
  std::string unit_;
  StatusLine status_;
  Clock::time_point start_;
};

/// "45 s", "3 min 20 s", "2 h 5 min"
std::string format_seconds(double seconds);

}  // namespace opencd::cli
