#include "opencd/methods/registry.hpp"

#include "error.hpp"
#include "opencd/methods/ds3l.hpp"
#include "opencd/methods/dtc.hpp"
#include "opencd/methods/feature_kmeans.hpp"
#include "opencd/methods/fixmatch.hpp"
#include "opencd/methods/gcd.hpp"
#include "opencd/methods/open_ncd.hpp"
#include "opencd/methods/open_ncd_recipe.hpp"
#include "opencd/methods/orca.hpp"
#include "opencd/methods/rank_stats.hpp"
#include "opencd/methods/simclr.hpp"

#include <array>

namespace opencd {

namespace {

/// What a method makes of an unknown number of classes.
enum class Count { found, must_be_given };

struct Entry {
  std::string_view name;
  bool training_free;
  Count count;
  std::unique_ptr<Method> (*make)(const MethodContext&, const Json&);
  Recipe (*recipe)(const Json&);
  std::vector<std::string> (*options)();  // that it takes
};

template <class M, auto config>
std::unique_ptr<Method> make(const MethodContext& context, const Json& options) {
  try {
    return std::make_unique<M>(context, config(options));
  } catch (const Json::exception& error) {
    fail<UsageError>("[method] an option does not read: {}", error.what());
  }
}

template <bool semi_supervised>
FeatureKMeansConfig feature_kmeans_config(const Json& /*options*/) {
  return {.semi_supervised = semi_supervised};
}

Recipe default_recipe(const Json& /*options*/) { return {}; }
std::vector<std::string> open_ncd_options() {
  const Json defaults = to_json(OpenNcdConfig{});
  std::vector<std::string> names;
  for (const auto& [name, unused] : defaults.items()) names.push_back(name);
  return names;
}
std::vector<std::string> open_ncd_plus_options() {
  std::vector<std::string> names = open_ncd_options();
  names.insert(names.end(), {"labeled-share", "balanced-targets", "balanced-prediction",
                             "strong-views", "whole-network"});
  return names;
}
std::vector<std::string> orca_options() { return {"grouping-rows"}; }
std::vector<std::string> gcd_options() { return {"sup-weight", "most-classes"}; }
std::vector<std::string> dtc_options() { return {"dtc-variant"}; }
std::vector<std::string> fixmatch_options() { return {"pseudo-threshold", "novel-share"}; }
std::vector<std::string> ds3l_options() { return {"novel-share"}; }
std::vector<std::string> no_options() { return {}; }

constexpr std::array kMethods = {
    Entry{"opencd", false, Count::found, make<OpenNcd, open_ncd_config>, open_ncd_recipe,
          open_ncd_options},
    Entry{"opencd+", false, Count::found, make<OpenNcd, open_ncd_plus_config>, open_ncd_plus_recipe,
          open_ncd_plus_options},
    Entry{"orca", false, Count::must_be_given, make<Orca, orca_config>, orca_recipe, orca_options},
    Entry{"gcd", false, Count::found, make<Gcd, gcd_config>, gcd_recipe, gcd_options},
    Entry{"rankstats", false, Count::must_be_given, make<RankStats, rank_stats_config>,
          rank_stats_recipe, no_options},
    Entry{"dtc", false, Count::must_be_given, make<Dtc, dtc_config>, dtc_recipe, dtc_options},
    Entry{"fixmatch", false, Count::must_be_given, make<FixMatch, fixmatch_config>, fixmatch_recipe,
          fixmatch_options},
    Entry{"ds3l", false, Count::must_be_given, make<Ds3l, ds3l_config>, ds3l_recipe, ds3l_options},
    Entry{"simclr", false, Count::found, make<SimClr, simclr_config>, default_recipe, no_options},
    Entry{"simclr-kmeans", true, Count::must_be_given,
          make<FeatureKMeans, feature_kmeans_config<false>>, default_recipe, no_options},
    Entry{"gcd-kmeans", true, Count::must_be_given,
          make<FeatureKMeans, feature_kmeans_config<true>>, default_recipe, no_options},
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
  names.reserve(kMethods.size());
  for (const Entry& entry : kMethods) names.emplace_back(entry.name);
  return names;
}

void check_class_number(std::string_view name, std::size_t known, std::size_t classes) {
  if (classes == 0 && find(name).count == Count::must_be_given)
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

Recipe method_recipe(std::string_view name, const Json& options) {
  return find(name).recipe(options);
}

Json options_of_method(std::string_view name, const Json& options) {
  Json taken = Json::object();
  for (const std::string& key : find(name).options())
    if (options.contains(key)) taken[key] = options.at(key);
  return taken;
}

bool is_training_free(std::string_view name) { return find(name).training_free; }

}  // namespace opencd
