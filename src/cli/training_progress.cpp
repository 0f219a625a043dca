#include "cli/training_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace opencd::cli {

namespace {

constexpr double kRecentSeconds = 30.0;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

TrainingProgress::TrainingProgress(const TrainingPlan& plan, bool quiet, Seconds clock)
    : plan_(plan),
      status_(quiet),
      clock_(clock ? std::move(clock) : Seconds(steady_seconds)),
      start_{clock_(), plan.first_step},
      recent_(start_),
      next_recent_(start_) {}

void TrainingProgress::update(std::int64_t done, const std::function<std::string()>& losses) {
  if (status_.due()) status_.show(line(done, losses()));
}

std::int64_t TrainingProgress::all_steps() const {
  return static_cast<std::int64_t>(plan_.steps.before(static_cast<std::size_t>(plan_.epochs)));
}

double TrainingProgress::seconds_left(std::int64_t done, double steps_per_second) const {
  const std::int64_t total = all_steps();
  const double here = static_cast<double>(total - done) / steps_per_second;
  const double a_run = plan_.place.seconds_a_run > 0.0
                           ? plan_.place.seconds_a_run
                           : static_cast<double>(total) / steps_per_second;
  return here + static_cast<double>(plan_.place.runs_after) * a_run;
}

std::string TrainingProgress::line(std::int64_t done, const std::string& losses) {
  const std::int64_t total = all_steps();
  const Mark now = {clock_(), std::min(done, total)};
  const auto steps_per_second = [&](const Mark& since) {
    const double seconds = now.seconds - since.seconds;
    return seconds > 0.0 ? static_cast<double>(now.done - since.done) / seconds : 0.0;
  };
  const double rate = steps_per_second(recent_) * static_cast<double>(plan_.images_per_step);
  const double overall = steps_per_second(start_);
  if (now.seconds - next_recent_.seconds >= kRecentSeconds)
    recent_ = std::exchange(next_recent_, now);

  // The last step of an epoch is step n/n of it, not step 0 of the next.
  const auto before = static_cast<std::size_t>(std::max<std::int64_t>(now.done - 1, 0));
  const std::size_t epoch = plan_.steps.epoch_of(before);
  const std::size_t step = static_cast<std::size_t>(now.done) - plan_.steps.before(epoch);
  const std::string left = overall > 0.0 ? format_seconds(seconds_left(now.done, overall)) + " left"
                                         : "time left unknown";
  const std::string& run = plan_.place.label;
  return fmt::format("{}{}epoch {}/{} {}step {}/{}, {}{}{:.0f} img/s, {}", run,
                     run.empty() ? "" : ", ", epoch + 1, plan_.epochs,
                     status_.bar(static_cast<std::size_t>(now.done),
                                 static_cast<std::size_t>(std::max<std::int64_t>(total, 1))),
                     step, plan_.steps.of(epoch), losses, losses.empty() ? "" : ", ", rate, left);
}

}  // namespace opencd::cli
