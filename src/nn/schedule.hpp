// Learning rates over time, as functions of the epoch (or of any other clock).
#pragma once

#include <vector>

namespace opencd::nn {

enum class ScheduleKind { constant, multi_step, cosine, fading_cosine };

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::constant;
  double learning_rate = 1e-3;
  std::vector<double> milestones;  // multi_step: the rate is multiplied by gamma at each
  double gamma = 0.1;
  double total = 0.0;    // the cosines: when they end
  double minimum = 0.0;  // cosine: the rate at the end
  double warm_up = 0.0;  // length of a linear rise from `warm_up_start` to the rate at its end
  double warm_up_start = 0.0;
};

/// The learning rate at a time, 0 being the start.
///   multi_step  rate gamma^(milestones passed)
///   cosine      minimum + (rate - minimum) (1 + cos(pi t / total)) / 2, and the minimum after it
///   fading      rate cos(7 pi t / (16 total)), FixMatch's: a fifth of the rate is left at the end
double learning_rate_at(const ScheduleConfig& schedule, double time);

}  // namespace opencd::nn
