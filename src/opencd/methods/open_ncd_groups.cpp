// Groups and their number: what OpenNCD does before an epoch.
#include "kernels/elementwise.hpp"
#include "kernels/normalize.hpp"
#include "opencd/centred_rows.hpp"
#include "opencd/methods/open_ncd.hpp"
#include "opencd/prior.hpp"
#include "opencd/prototype_sets.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>

namespace opencd {

namespace {

constexpr std::size_t kSets = 9;  // of prototypes that are asked for the number of classes
// Prototypes of such a set, for every known class and at least: the fewer, the more rows they share and
// the less their groups depend on chance.
constexpr std::size_t kPrototypesAClass = 10;
constexpr std::size_t kLeastPrototypes = 50;

}  // namespace

void OpenNcd::set_groups(PrototypeGroupState groups) {
  kernels::Device& device = context_.model.device();
  groups_ = std::move(groups);
  device_groups_.emplace(device, groups_.grouping.group_of, groups_.grouping.groups);
  prior_ = kernels::to_device(device, multi_prototype_prior(groups_.grouping));
  if (balanced_) balanced_->set_groups(*device_groups_);
  factors_.assign(groups_.grouping.groups, 1.0);
}

void OpenNcd::begin_epoch(std::uint32_t epoch, TrainingFeatures& features) {
  if (epoch == 0 && features.pretrained() && counts_once(features.labels()))
    counted_ = count_in_features(features);
  if (regroups(config_, epoch)) regroup(epoch, features);
}

void OpenNcd::finish(TrainingFeatures& features) {
  // The paper groups after every epoch, the last one too.
  if (regroups(config_, context_.epochs))
    regroup(static_cast<std::uint32_t>(context_.epochs), features);
  if (config_.balanced_prediction) balance(features);
}

bool OpenNcd::counts_once(std::span<const std::int32_t> labels) const {
  return config_.grouping == GroupingChoice::automatic &&
         counts_by_hiding(config_, context_.classes) && !rows_labelled(labels, true).empty();
}

OpenNcd::LookedAt OpenNcd::rows_to_look_at(std::span<const std::int32_t> labels) const {
  LookedAt chosen;
  std::vector<std::uint32_t>& rows = chosen.rows;
  rows = evenly_spread(labels.size(), static_cast<std::size_t>(config_.grouping_rows));
  const std::vector<std::uint32_t> labelled = rows_labelled(labels, true);
  rows.insert(rows.end(), labelled.begin(), labelled.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const std::uint32_t row : rows) chosen.classes.push_back(labels[row]);
  if (rows.size() > labelled.size())
    chosen.unlabelled_weight = static_cast<double>(labels.size() - labelled.size()) /
                               static_cast<double>(rows.size() - labelled.size());
  return chosen;
}

std::optional<GroupCount> OpenNcd::count_in_features(TrainingFeatures& features) const {
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const LookedAt chosen = rows_to_look_at(features.labels());
  const auto columns = static_cast<std::size_t>(context_.features);
  const kernels::Buffer<float> values(device, chosen.rows.size() * columns);
  const kernels::Buffer<float> norms(device, chosen.rows.size());
  const Rows<float> unit = values.rows(chosen.rows.size(), columns);
  features.read(chosen.rows, false, [&](std::size_t first, Rows<const float> block) {
    kernels::copy(device, block.flat(), values.view().slice(first * columns, block.size()));
  });
  centre_rows(engine, unit, unit);
  kernels::normalize_rows(device, unit, unit, norms);
  PrototypeAffinityOptions affinity = affinity_->options();
  affinity.dimensions = columns;
  affinity.prototypes =
      std::min(affinity.prototypes, std::max(kLeastPrototypes, kPrototypesAClass * context_.known));
  const std::vector<PrototypeEvidence> sets =
      evidence_about_other_sets(engine, unit, chosen.known(context_.known),
                                {.sets = kSets, .affinity = affinity, .seed = context_.seed});
  if (sets.empty()) return std::nullopt;
  return count_groups(sets, context_.seed);
}

std::size_t OpenNcd::sets_to_ask(std::size_t classes) const {
  if (counts_by_hiding(config_, classes)) return kSets;
  return groups_spectrally(config_, classes) ? static_cast<std::size_t>(config_.grouping_sets) : 1;
}

kernels::Buffer<float> OpenNcd::embed_rows(std::span<const std::uint32_t> rows,
                                           bool augmented,
                                           TrainingFeatures& features) {
  const auto d = static_cast<std::size_t>(config_.dimensions);
  kernels::Buffer<float> unit(context_.model.device(), rows.size() * d);
  features.read(rows, augmented, [&](std::size_t first, Rows<const float> block) {
    embed(block, {unit.data() + first * d, block.rows, d});
  });
  return unit;
}

void OpenNcd::regroup(std::uint32_t epoch, TrainingFeatures& features) {
  const nn::Engine& engine = context_.model.engine();
  const LookedAt chosen = rows_to_look_at(features.labels());
  const kernels::Buffer<float> unit = embed_rows(chosen.rows, true, features);
  normalise_prototypes();
  const Rows<const float> z =
      unit.rows(chosen.rows.size(), static_cast<std::size_t>(config_.dimensions));
  const std::size_t classes = counted_ ? counted_->found : context_.classes;
  const std::vector<PrototypeEvidence> sets =
      evidence_about_sets(engine, *affinity_, prototype_rows(units_.data()), z,
                          chosen.known(context_.known), sets_to_ask(classes) - 1, context_.seed);
  auto found = group_prototypes(config_, sets, classes, epoch, context_.seed);
  if (!found) return;
  GroupCount& count = found->count;
  if (counted_)
    count = {count.found, std::min(counted_->low, count.found),
             std::max(counted_->high, count.found)};
  else if (counts_once(features.labels()))
    counted_ = count;
  set_groups(std::move(*found));
}

}  // namespace opencd
