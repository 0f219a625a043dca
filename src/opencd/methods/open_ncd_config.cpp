#include "opencd/methods/open_ncd_config.hpp"

#include "error.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace opencd {

namespace {

template <class Enum, std::size_t count>
using Names = std::array<std::pair<Enum, std::string_view>, count>;

constexpr Names<kernels::LossForm, 2> kForms = {
    {{kernels::LossForm::code, "code"}, {kernels::LossForm::paper, "paper"}}};
constexpr Names<SharedRows, 2> kMeasures = {
    {{SharedRows::overlap, "overlap"}, {SharedRows::jaccard, "jaccard"}}};
constexpr Names<GroupingChoice, 5> kGroupings = {
    {{GroupingChoice::automatic, "auto"},
     {GroupingChoice::spectral, "spectral"},
     {GroupingChoice::louvain, "louvain"},
     {GroupingChoice::threshold, "threshold"},
     {GroupingChoice::affinity_propagation, "affinity-propagation"}}};
constexpr Names<GroupingAlgorithm, 3> kSearches = {
    {{GroupingAlgorithm::louvain, "louvain"},
     {GroupingAlgorithm::threshold, "threshold"},
     {GroupingAlgorithm::affinity_propagation, "affinity-propagation"}}};
constexpr Names<CountRule, 2> kRules = {
    {{CountRule::hidden_classes, "hidden-classes"}, {CountRule::progressive, "progressive"}}};

template <class Enum, std::size_t count>
std::string name_of(const Names<Enum, count>& names, Enum value) {
  for (const auto& [entry, name] : names)
    if (entry == value) return std::string(name);
  return "";
}

template <class Enum, std::size_t count>
void read_name(const Json& options, const char* key, const Names<Enum, count>& names, Enum& value) {
  if (!options.contains(key)) return;
  const auto wanted = options.at(key).get<std::string>();
  for (const auto& [entry, name] : names)
    if (name == wanted) {
      value = entry;
      return;
    }
  fail<UsageError>("[opencd] \"{}\" is no value of {}", wanted, key);
}

template <class T>
void read(const Json& options, const char* key, T& value) {
  if (options.contains(key)) value = options.at(key).get<T>();
}

}  // namespace

GroupingAlgorithm OpenNcdConfig::searched() const {
  switch (grouping) {
    case GroupingChoice::louvain: return GroupingAlgorithm::louvain;
    case GroupingChoice::threshold: return GroupingAlgorithm::threshold;
    case GroupingChoice::affinity_propagation: return GroupingAlgorithm::affinity_propagation;
    default: return search;
  }
}

bool regroups(const OpenNcdConfig& config, std::int64_t epoch) {
  return epoch >= config.warm_epochs && epoch < config.grouping_epochs;
}

OpenNcdConfig open_ncd_config(const Json& options) {
  OpenNcdConfig config;
  try {
    read(options, "prototypes", config.prototypes);
    read(options, "dimensions", config.dimensions);
    read(options, "hidden", config.hidden);
    read_name(options, "losses", kForms, config.form);
    read(options, "tau", config.temperature);
    read(options, "lambda-reg", config.lambda_reg);
    read(options, "lambda-ce", config.lambda_ce);
    read(options, "proto-loss", config.proto_loss);
    read(options, "group-loss", config.group_loss);
    read(options, "kappa", config.kappa);
    read_name(options, "affinity", kMeasures, config.measure);
    read(options, "affinity-share", config.mix);
    read(options, "warm-epochs", config.warm_epochs);
    read(options, "grouping-epochs", config.grouping_epochs);
    read(options, "warm-head-only", config.warm_head_only);
    read(options, "ce-while-grouping", config.ce_while_grouping);
    read(options, "grouping-rows", config.grouping_rows);
    read(options, "grouping-sets", config.grouping_sets);
    read(options, "grouping-labels", config.grouping_labels);
    read_name(options, "grouping", kGroupings, config.grouping);
    read_name(options, "search", kSearches, config.search);
    read_name(options, "count-rule", kRules, config.count_rule);
    read(options, "drop-dead-prototypes", config.drop_dead);
    read(options, "search-first", config.range.first);
    read(options, "search-last", config.range.last);
    read(options, "search-steps", config.range.steps);
    read(options, "python-louvain", config.python_louvain);
  } catch (const Json::exception& error) {
    fail<UsageError>("[opencd] an option does not read: {}", error.what());
  }
  return config;
}

OpenNcdConfig open_ncd_plus_config(const Json& options) {
  OpenNcdConfig config = open_ncd_config(options);
  config.balanced_targets = options.value("balanced-targets", false);
  config.balanced_prediction = options.value("balanced-prediction", true);
  config.labelled_share = options.value("labeled-share", kLabelledShare);
  return config;
}

Json to_json(const OpenNcdConfig& config) {
  return {{"prototypes", config.prototypes},
          {"dimensions", config.dimensions},
          {"hidden", config.hidden},
          {"losses", name_of(kForms, config.form)},
          {"tau", config.temperature},
          {"lambda-reg", config.lambda_reg},
          {"lambda-ce", config.lambda_ce},
          {"proto-loss", config.proto_loss},
          {"group-loss", config.group_loss},
          {"kappa", config.kappa},
          {"affinity", name_of(kMeasures, config.measure)},
          {"affinity-share", config.mix},
          {"warm-epochs", config.warm_epochs},
          {"grouping-epochs", config.grouping_epochs},
          {"warm-head-only", config.warm_head_only},
          {"ce-while-grouping", config.ce_while_grouping},
          {"grouping-rows", config.grouping_rows},
          {"grouping-sets", config.grouping_sets},
          {"grouping-labels", config.grouping_labels},
          {"grouping", name_of(kGroupings, config.grouping)},
          {"search", name_of(kSearches, config.search)},
          {"count-rule", name_of(kRules, config.count_rule)},
          {"drop-dead-prototypes", config.drop_dead},
          {"search-first", config.range.first},
          {"search-last", config.range.last},
          {"search-steps", config.range.steps},
          {"python-louvain", config.python_louvain}};
}

}  // namespace opencd
