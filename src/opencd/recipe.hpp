// How a method wants to be trained: what its authors published, which a user's own options override.
// The trainer is told values, not methods.
#pragma once

#include "data/epoch_rows.hpp"
#include "nn/optimizer.hpp"
#include "nn/schedule.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace opencd {

/// The defaults are OpenNCD's.
struct Recipe {
  std::int64_t epochs = 150;
  std::int64_t batch = 512;
  std::array<std::string, 2> augment = {"opencd", "opencd"};  // presets of the two views
  int crop = 28;                                              // 0: as the pictures
  data::SamplingConfig sampling;
  double tuning_share = 0.0;  // of all epochs: the first ones, of labelled rows alone
  nn::OptimizerConfig optimizer;
  nn::ScheduleConfig schedule{
      .kind = nn::ScheduleKind::multi_step, .learning_rate = 2e-3, .milestones = {90, 120}};
  bool smooth_schedule = false;  // the rate changes at every step
  /// Epoch from which a pretrained encoder is trained; before it only the method's own parameters are.
  std::int64_t encoder_from = 0;
  /// Epoch from which frozen stages are trained too; none: never.
  std::optional<std::int64_t> whole_from;
};

}  // namespace opencd
