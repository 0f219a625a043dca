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

/// What is found out about the model between two epochs.
struct EpochScores {
  /// Against the truth, where it is known: for people, it decides nothing.
  std::optional<Evaluation> unlabelled;
  /// The share of the labelled rows whose class the model finds, which every user knows: it chooses the best checkpoint.
  std::optional<double> labelled;
};

class TrainingLoop {
 public:
  using Evaluate = std::function<EpochScores()>;
  using Values = std::vector<std::pair<std::string, double>>;

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

  /// Of the last step that was made, be it by this process or by one before it; nothing if nobody has made one.
  const Values& losses();

 private:
  using Clock = std::chrono::steady_clock;

  /// Where to go on in the metrics: after so many records, none of which is of a later step.
  struct Resumed {
    std::int64_t step = 0;
    std::optional<std::int64_t> records;  // nothing: an older program did not count them
  };

  Resumed restore();
  void train();
  void begin_epoch();
  void end_epoch();
  EpochScores evaluate_if_due();
  void log_epoch(const EpochScores& scores);
  /// `labelled`: the accuracy to judge the checkpoint by; nothing if it takes no part in the choice of the best.
  void save(std::optional<double> labelled = std::nullopt);
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
  bool stepped_ = false;          // by this process, so that the method has losses to tell
  Values losses_;                 // of the last step that was asked about
  bool end_due_ = false;          // the steps of an epoch are done, what comes after them is not
  double best_ = -1.0;            // labelled accuracy of the best checkpoint
  double earlier_seconds_ = 0.0;  // of the starts before this
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_save_ = start_;
};

}  // namespace opencd::cli
