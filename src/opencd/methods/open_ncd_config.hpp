// The settings of OpenNCD. The defaults are those of the authors' program for CIFAR-10; where the paper
// says otherwise, the preset `paper` does (docs/METHOD.md has the list). What goes beyond both is off here
// and belongs to `opencd+` (open_ncd_defaults.hpp).
#pragma once

#include "kernels/prototype_loss_config.hpp"
#include "opencd/co_occurrence_affinity.hpp"
#include "opencd/group_search.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace opencd {

using Json = nlohmann::ordered_json;

/// Of labelled rows in the batches of `opencd+`, unless "labeled-share" says otherwise.
inline constexpr double kLabelledShare = 0.25;

/// How prototypes are grouped. `automatic`: spectral clustering where the number of classes is known,
/// the search where it is not.
enum class GroupingChoice { automatic, spectral, louvain, threshold, affinity_propagation };

/// How the number of groups is found where the number of classes is unknown.
///   hidden_classes  opencd+: known classes are hidden in turn as if they were novel; the granularity
///                   that recovers them is taken (class_count.hpp)
///   progressive     the authors' search: from many groups to few, one more candidate every epoch,
///                   judged by the labelled rows
enum class CountRule { hidden_classes, progressive };

struct OpenNcdConfig {
  std::int64_t prototypes = 50;  // K
  std::int64_t dimensions = 32;  // D
  std::int64_t hidden = 0;       // of the head; 0: as many as features

  // Losses
  kernels::LossForm form = kernels::LossForm::code;
  double temperature = 0.1;  // tau
  double lambda_reg = 10.0;  // the code's factor of ten is here
  double lambda_ce = 1.0;
  bool proto_loss = true;
  bool group_loss = true;
  bool balanced_targets = false;  // opencd+: in L_group, instead of the other view's own q

  bool balanced_prediction = false;  // opencd+: groups by q that gives each the same share
  double labelled_share = 0.0;       // opencd+: of a batch; 0: as the training set has it

  // Affinity
  std::int64_t kappa = 3;
  SharedRows measure = SharedRows::overlap;
  double mix = 1.0;  // weight of co-occurrence against the cosine of the prototypes

  // Stages, in epochs: warm below `warm_epochs`, grouping below `grouping_epochs`, then fixed.
  std::int64_t warm_epochs = 5;
  std::int64_t grouping_epochs = 70;
  bool warm_head_only = false;     // opencd+: the warm stage does not train a pretrained encoder
  bool ce_while_grouping = false;  // L_ce while groups change and the number of classes is unknown
  std::int64_t grouping_rows = 0;  // rows that a regrouping looks at, evenly spread; 0: all
  GroupingChoice grouping = GroupingChoice::automatic;
  GroupingAlgorithm search = GroupingAlgorithm::louvain;  // where the number of classes is unknown
  SearchRange range;                                      // of the progressive search
  bool python_louvain = true;                             // stop as python-louvain 0.16 does
  CountRule count_rule = CountRule::progressive;
  bool drop_dead = false;  // opencd+: prototypes without rows make no groups
  std::int64_t grouping_sets =
      1;  // opencd+: sets of prototypes that decide together on spectral groups
  bool grouping_labels = false;  // opencd+: prototypes that labels tell apart are less alike

  /// What is searched for, where anything is.
  GroupingAlgorithm searched() const;
};

/// Whether an epoch begins with a grouping. The one behind the last epoch is that after it.
bool regroups(const OpenNcdConfig& config, std::int64_t epoch);

/// From options by the names of the command line, of which any may be left out; others are not
/// looked at. UsageError for values that do not read.
OpenNcdConfig open_ncd_config(const Json& options);
/// The same for `opencd+`, with the options of its own.
OpenNcdConfig open_ncd_plus_config(const Json& options);
/// Without the options of `opencd+`.
Json to_json(const OpenNcdConfig& config);

}  // namespace opencd
