// Progress of a training run on stderr:
//   epoch 3/50 [====      ] step 12/97, loss 1.23 (proto 0.51), 512 img/s, 1 h 5 min left
#pragma once

#include "cli/progress.hpp"
#include "data/epoch_steps.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace opencd::cli {

/// The place of a run among others that one process works through.
struct RunPlace {
  std::string label;            // "run 2/6 opencd-1"; empty: it is alone
  std::int64_t runs_after = 0;  // that are still to be done
  double seconds_a_run =
      0.0;  // of those done so far, in the mean; 0: none yet, they are as this one
};

struct TrainingPlan {
  std::int64_t epochs = 1;
  data::EpochSteps steps;
  std::int64_t images_per_step = 1;
  std::int64_t first_step = 0;  // steps of the whole run that an earlier process did
  RunPlace place;
};

class TrainingProgress {
 public:
  using Seconds = std::function<double()>;

  /// `quiet`: --quiet or --progress never. `clock` gives seconds from any start; by default a steady clock's.
  TrainingProgress(const TrainingPlan& plan, bool quiet, Seconds clock = {});

  /// `done` steps of the whole run are done; `losses` tells what to say of them, "loss 1.23 (proto 0.51)", and is
  /// asked only when a line is due.
  void update(std::int64_t done, const std::function<std::string()>& losses);

  /// What `update` shows when a line is due. The rate is that of the last minute or so, the time left that of the
  /// whole process, pauses for grouping and evaluation included, and of the runs that follow.
  std::string line(std::int64_t done, const std::string& losses);

  /// Takes the line away: before a log line, and at the end.
  void clear() { status_.clear(); }

 private:
  struct Mark {
    double seconds;
    std::int64_t done;
  };

  std::int64_t all_steps() const;
  double seconds_left(std::int64_t done, double steps_per_second) const;

  TrainingPlan plan_;
  StatusLine status_;
  Seconds clock_;
  Mark start_;
  Mark recent_;       // where the rate is measured from
  Mark next_recent_;  // where it will be once that is old
};

}  // namespace opencd::cli
