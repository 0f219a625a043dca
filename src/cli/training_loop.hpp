// A training run from its first or its resumed step to its end or to a signal: steps, progress,
// metrics, evaluations and checkpoints in their order.
#pragma once

#include "cli/run_folder.hpp"
#include "cli/train_options.hpp"
#include "cli/training_progress.hpp"
#include "files/checkpoint_folder.hpp"
#include "files/metrics_log.hpp"
#include "opencd/evaluation.hpp"
#include "opencd/trainer.hpp"

#include <functional>
#include <optional>

namespace opencd::cli {

class TrainingLoop {
 public:
  /// Scores of the model as it is; nothing where there is nothing to score.
  using Evaluate = std::function<std::optional<Evaluation>()>;

  /// Continues from the run's checkpoint, if it has one. All must outlive this.
  TrainingLoop(Trainer& trainer,
               RunFolder& run,
               const RunArguments& arguments,
               const ModelDescription& model,
               bool quiet,
               Evaluate evaluate = {});

  /// Shown with the progress, if there are other runs.
  void set_place(const RunPlace& place) { place_ = place; }

  /// 0 at the end of training, 130 or 143 after a signal; a checkpoint is saved in any case.
  int run();

  /// That training has taken in this folder, over all starts but for what was lost by kills.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Values = std::vector<std::pair<std::string, double>>;

  void restore();
  void train();
  void begin_epoch();
  void end_epoch();
  void save();
  bool out_of_time() const;
  std::string losses_text();
  void record(const char* prefix, const Values& values);

  Trainer& trainer_;
  RunFolder& run_;
  RunArguments arguments_;
  ModelDescription model_;
  bool quiet_;
  RunPlace place_;
  Evaluate evaluate_;
  files::CheckpointFolder checkpoints_;
  std::optional<files::MetricsLog> metrics_;
  bool stepped_ = false;  // by this process, so that there are losses to tell
  double best_ = -1.0;    // All accuracy of the best checkpoint
  std::optional<Evaluation> newest_evaluation_;
  double earlier_seconds_ = 0.0;  // of the starts before this
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_save_ = start_;
};

}  // namespace opencd::cli
