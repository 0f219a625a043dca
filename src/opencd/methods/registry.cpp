#include "opencd/methods/registry.hpp"

#include "error.hpp"
#include "opencd/methods/ds3l.hpp"
#include "opencd/methods/dtc.hpp"
#include "opencd/methods/feature_kmeans.hpp"
#include "opencd/methods/fixmatch.hpp"
#include "opencd/methods/gcd.hpp"
#include "opencd/methods/open_ncd.hpp"
#include "opencd/methods/open_ncd_defaults.hpp"
#include "opencd/methods/open_ncd_recipe.hpp"
#include "opencd/methods/orca.hpp"
#include "opencd/methods/rank_stats.hpp"
#include "opencd/methods/simclr.hpp"

#include <algorithm>
#include <array>

namespace opencd {

namespace {

/// What a method makes of its options; some ask for the number of known classes besides.
template <auto function>
auto made(const Json& options, std::size_t known) {
  if constexpr (std::is_invocable_v<decltype(function), const Json&, std::size_t>)
    return function(options, known);
  else
    return function(options);
}

template <class M, auto config>
std::unique_ptr<Method> make(const MethodContext& context, const Json& options) {
  try {
    return std::make_unique<M>(context, made<config>(options, context.known));
  } catch (const Json::exception& error) {
    fail<UsageError>("[method] an option does not read: {}", error.what());
  }
}

template <bool semi_supervised>
FeatureKMeansConfig feature_kmeans_config(const Json& /*options*/) {
  return {.semi_supervised = semi_supervised};
}

Recipe default_recipe(const Json& /*options*/) { return {}; }
Json no_defaults(const MethodTask& /*task*/, const Json& /*given*/) { return Json::object(); }
/// What OpenNCD does not have: with any of these it would be another method.
const std::vector<std::string>& plus_options() {
  static const std::vector<std::string> names = {
      "count-rule",     "drop-dead-prototypes", "grouping-sets",    "grouping-labels",
      "warm-head-only", "labeled-share",        "balanced-targets", "balanced-prediction",
      "strong-views",   "whole-network"};
  return names;
}
std::vector<std::string> open_ncd_options() {
  const Json all = to_json(OpenNcdConfig{});
  const std::vector<std::string>& others = plus_options();
  std::vector<std::string> names;
  for (const auto& [name, unused] : all.items())
    if (std::find(others.begin(), others.end(), name) == others.end()) names.push_back(name);
  return names;
}
std::vector<std::string> open_ncd_plus_options() {
  std::vector<std::string> names = open_ncd_options();
  names.insert(names.end(), plus_options().begin(), plus_options().end());
  return names;
}
std::vector<std::string> orca_options() { return {"grouping-rows"}; }
std::vector<std::string> gcd_options() { return {"sup-weight", "most-classes"}; }
std::vector<std::string> rank_stats_options() {
  return {"tuning-share", "consistency-weight", "rise-share", "values-of"};
}
std::vector<std::string> dtc_options() {
  return {"dtc-variant", "tuning-share",  "consistency-weight", "rise-share",
          "warm-share",  "refresh-share", "values-of"};
}
std::vector<std::string> fixmatch_options() {
  return {"pseudo-threshold", "novel-share", "values-of"};
}
std::vector<std::string> ds3l_options() { return {"novel-share"}; }
std::vector<std::string> no_options() { return {}; }

struct Entry {
  std::string_view name;
  std::unique_ptr<Method> (*make)(const MethodContext&, const Json&);
  Recipe (*recipe)(const Json&, std::size_t known) = made<default_recipe>;
  std::vector<std::string> (*options)() = no_options;  // that it takes
  Json (*defaults)(const MethodTask&, const Json&) = no_defaults;
  bool discovers = true;  // classes; else it only learns features
  bool training_free = false;
  bool names_known = true;       // classes, by what it learned from labels
  bool counts_classes = false;   // or has no use for their number
  std::string_view extended_by;  // another name, under which it has more options
};

constexpr std::array kMethods = {
    Entry{.name = "opencd",
          .make = make<OpenNcd, open_ncd_config>,
          .recipe = made<open_ncd_recipe>,
          .options = open_ncd_options,
          .defaults = open_ncd_defaults,
          .counts_classes = true,
          .extended_by = "opencd+"},
    Entry{.name = "opencd+",
          .make = make<OpenNcd, open_ncd_plus_config>,
          .recipe = made<open_ncd_plus_recipe>,
          .options = open_ncd_plus_options,
          .defaults = open_ncd_plus_defaults,
          .counts_classes = true},
    Entry{.name = "orca",
          .make = make<Orca, orca_config>,
          .recipe = made<orca_recipe>,
          .options = orca_options},
    Entry{.name = "gcd",
          .make = make<Gcd, gcd_config>,
          .recipe = made<gcd_recipe>,
          .options = gcd_options,
          .counts_classes = true},
    Entry{.name = "rankstats",
          .make = make<RankStats, rank_stats_config>,
          .recipe = made<rank_stats_recipe>,
          .options = rank_stats_options,
          .names_known = false},
    Entry{.name = "dtc",
          .make = make<Dtc, dtc_config>,
          .recipe = made<dtc_recipe>,
          .options = dtc_options,
          .names_known = false},
    Entry{.name = "fixmatch",
          .make = make<FixMatch, fixmatch_config>,
          .recipe = made<fixmatch_recipe>,
          .options = fixmatch_options},
    Entry{.name = "ds3l",
          .make = make<Ds3l, ds3l_config>,
          .recipe = made<ds3l_recipe>,
          .options = ds3l_options},
    Entry{.name = "simclr",
          .make = make<SimClr, simclr_config>,
          .discovers = false,
          .names_known = false,
          .counts_classes = true},
    Entry{.name = "simclr-kmeans",
          .make = make<FeatureKMeans, feature_kmeans_config<false>>,
          .training_free = true,
          .names_known = false},
    Entry{.name = "gcd-kmeans",
          .make = make<FeatureKMeans, feature_kmeans_config<true>>,
          .training_free = true},
};

const Entry& find(std::string_view name) {
  for (const Entry& entry : kMethods)
    if (entry.name == name) return entry;
  fail<UsageError>("[method] there is no method \"{}\"; there are {}", name,
                   fmt::join(method_names(), ", "));
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kMethods)
    if (entry.discovers) names.emplace_back(entry.name);
  return names;
}

void check_class_number(std::string_view name, std::size_t known, std::size_t classes) {
  if (classes == 0 && !find(name).counts_classes)
    fail<UsageError>(
        "[{}] this method cannot count classes: add --classes N, known and new classes together "
        "(opencd, opencd+ and gcd can)",
        name);
  if (classes != 0 && classes < known)
    fail<UsageError>("[{}] --classes {} is fewer than the {} known classes", name, classes, known);
}

std::unique_ptr<Method> make_method(std::string_view name,
                                    const MethodContext& context,
                                    const Json& options) {
  check_class_number(name, context.known, context.classes);
  return find(name).make(context, options);
}

Recipe method_recipe(std::string_view name, const Json& options, std::size_t known) {
  return find(name).recipe(options, known);
}

Json method_defaults(std::string_view name, const MethodTask& task, const Json& given) {
  return find(name).defaults(task, given);
}

bool takes_option(std::string_view name, std::string_view key) {
  const std::vector<std::string> options = find(name).options();
  return std::find(options.begin(), options.end(), key) != options.end();
}

Json options_of_method(std::string_view name, const Json& options) {
  Json taken = Json::object();
  for (const std::string& key : find(name).options())
    if (options.contains(key)) taken[key] = options.at(key);
  return taken;
}

std::string_view extension_of(std::string_view name) { return find(name).extended_by; }

bool is_training_free(std::string_view name) { return find(name).training_free; }

bool names_known_classes(std::string_view name) { return find(name).names_known; }

}  // namespace opencd
