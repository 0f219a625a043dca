#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace opencd::cli {

namespace {

constexpr std::chrono::milliseconds kTerminalPause(100);
constexpr std::chrono::seconds kLogPause(10);
constexpr std::size_t kBarWidth = 24;

}  // namespace

StatusLine::StatusLine(bool quiet)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), last_(Clock::now()) {}

bool StatusLine::due() const {
  const Clock::duration pause =
      terminal_ ? Clock::duration(kTerminalPause) : Clock::duration(kLogPause);
  return !quiet_ && Clock::now() - last_ >= pause;
}

void StatusLine::show(const std::string& text) {
  if (quiet_) return;
  last_ = Clock::now();
  shown_ = true;
  if (terminal_)
    fmt::print(stderr, "\r\x1b[K{}", text);
  else
    fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

void StatusLine::clear() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

std::string StatusLine::bar(std::size_t done, std::size_t total) const {
  if (!terminal_) return "";
  const std::size_t filled = std::min(done, total) * kBarWidth / std::max<std::size_t>(total, 1);
  return fmt::format("[{:<{}}] ", std::string(filled, '='), kBarWidth);
}

Progress::Progress(std::string what, std::size_t total, std::string unit, bool quiet)
    : what_(std::move(what)),
      total_(std::max<std::size_t>(total, 1)),
      unit_(std::move(unit)),
      status_(quiet),
      start_(Clock::now()) {}

std::string Progress::line(std::size_t done) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0.0 ? static_cast<double>(done) / seconds : 0.0;
  const double left =
      rate > 0.0 ? static_cast<double>(total_ - std::min(done, total_)) / rate : 0.0;
  return fmt::format("{} {}{}/{} {}, {:.0f} {}/s, {} left", what_, status_.bar(done, total_), done,
                     total_, unit_, rate, unit_, format_seconds(left));
}

void Progress::update(std::size_t done) {
  if (status_.due()) status_.show(line(done));
}

std::string format_seconds(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace opencd::cli
