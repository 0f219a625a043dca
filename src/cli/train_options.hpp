// What `train` and `pretrain` take on the command line, and what it means for a Trainer.
#pragma once

#include "cli/data_options.hpp"
#include "cli/options.hpp"
#include "opencd/methods/open_ncd_config.hpp"
#include "opencd/model_description.hpp"
#include "opencd/trainer.hpp"

#include <string>
#include <vector>

namespace opencd::cli {

/// The network and how it learns; shared by both verbs.
struct LearningArguments {
  std::string arch = "resnet18";
  std::string stem = "cifar";
  std::int64_t width = 64;
  std::string freeze_until = "stage3";
  std::string frozen_norm = "batch";
  std::string weights;
  std::string augment = "opencd";
  int crop = 28;  // 0: as the pictures
  std::int64_t epochs = 150;
  std::int64_t batch = 512;
  double learning_rate = 2e-3;
  std::vector<double> milestones = {90, 120};
  double gamma = 0.1;
  double weight_decay = 0.0;
};

/// Where a run goes and how it is kept.
struct RunArguments {
  std::string out;
  std::string name;
  std::string root = "runs";
  std::string resume;
  bool force = false;
  std::int64_t save_every = 10;  // epochs
  double save_minutes = 15.0;
  std::size_t keep_last = 2;
  double max_hours = 0.0;       // 0: no end
  std::int64_t eval_every = 1;  // epochs; 0: only at the end
};

/// The parts of `opencd+` that are on unless they are left out.
struct PlusArguments {
  double labeled_share = kLabelledShare;
  bool balanced_prediction = true;

  /// By the names that make_method knows.
  void write(Json& options) const;
};

/// The settings of all methods, with those that are words as words.
struct MethodArguments {
  std::string method = "opencd+";
  std::string classes = "auto";
  OpenNcdConfig open_ncd;
  std::string losses = "code";
  std::string affinity = "overlap";
  std::string grouping = "auto";
  std::string search = "louvain";
  std::string count_rule = "progressive";
  bool no_proto_loss = false;
  bool no_group_loss = false;
  PlusArguments plus;
  bool balanced_targets = false;  // opencd+, as the next two
  bool strong_views = false;
  bool whole_network = false;
  double sup_weight = 0.35;       // GCD
  std::int64_t most_classes = 0;  // GCD; 0: its own choice
  std::string dtc_variant = "pi";
  std::string values_of = "auto";    // RankStats, DTC, FixMatch
  double tuning_share = -1.0;        // RankStats, DTC; -1: their authors', as the next four
  double consistency_weight = -1.0;  // RankStats, DTC
  double rise_share = -1.0;          // RankStats, DTC
  double warm_share = -1.0;          // DTC
  double refresh_share = -1.0;       // DTC
  double pseudo_threshold = 0.95;    // FixMatch
  double novel_share = -1.0;         // FixMatch, DS3L; -1: the true share
};

void add_learning_options(CLI::App& verb, LearningArguments& arguments);
void add_run_options(CLI::App& verb, RunArguments& arguments);
void add_method_options(CLI::App& verb, MethodArguments& arguments);
void add_plus_options(CLI::App& verb, PlusArguments& arguments, const std::string& group);

/// 0 for `auto`. UsageError for what is no number of classes.
std::size_t parse_classes(const std::string& text);
/// The options of the chosen method by name, as make_method takes them.
Json method_options(const MethodArguments& arguments);
/// All but optimizer and schedule.
TrainerConfig trainer_config(const LearningArguments& arguments,
                             const ModelDescription& model,
                             const CommonOptions& common);
ModelDescription describe_model(const LearningArguments& arguments,
                                const data::ImageSet& set,
                                const data::OpenWorldSplit& split);

}  // namespace opencd::cli
