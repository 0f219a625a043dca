#include "nn/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace opencd::nn {

namespace {

double without_warm_up(const ScheduleConfig& schedule, double time) {
  switch (schedule.kind) {
    case ScheduleKind::constant: break;
    case ScheduleKind::multi_step: {
      const auto passed = std::count_if(schedule.milestones.begin(), schedule.milestones.end(),
                                        [&](double milestone) { return milestone <= time; });
      return schedule.learning_rate * std::pow(schedule.gamma, static_cast<double>(passed));
    }
    case ScheduleKind::cosine: {
      const double part = std::clamp(time / schedule.total, 0.0, 1.0);
      return schedule.minimum + (schedule.learning_rate - schedule.minimum) *
                                    (1.0 + std::cos(std::numbers::pi * part)) / 2.0;
    }
    case ScheduleKind::fading_cosine: {
      const double part = std::clamp(time / schedule.total, 0.0, 1.0);
      return schedule.learning_rate * std::cos(7.0 / 16.0 * std::numbers::pi * part);
    }
  }
  return schedule.learning_rate;
}

}  // namespace

double learning_rate_at(const ScheduleConfig& schedule, double time) {
  if (time >= schedule.warm_up) return without_warm_up(schedule, time);
  const double end = without_warm_up(schedule, schedule.warm_up);
  return schedule.warm_up_start + (end - schedule.warm_up_start) * (time / schedule.warm_up);
}

}  // namespace opencd::nn
