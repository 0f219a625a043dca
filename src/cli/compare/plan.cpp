#include "cli/compare/plan.hpp"

#include "cli/compare/variants.hpp"
#include "error.hpp"
#include "opencd/methods/registry.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace opencd::cli {

namespace {

constexpr const char* kPlus = "opencd+";  // what it became here, whose parts are others
// Behind the name of a form of OpenNCD that counts without labels.
constexpr std::string_view kUnlabelled = "-unlabelled";

std::vector<std::string> cells_of(const std::optional<PublishedAccuracy>& accuracy) {
  if (!accuracy) return {};
  return {fmt::format("{:.1f}", accuracy->known), fmt::format("{:.1f}", accuracy->novel),
          fmt::format("{:.1f}", accuracy->all), ""};
}

std::vector<std::string> cells_of(const std::optional<PublishedCount>& count) {
  if (!count) return {};
  return {count->classes, count->all, count->nmi};
}

KnownRule known_rule(const std::string& method) {
  return names_known_classes(method) ? KnownRule::named : KnownRule::matched;
}

/// The forms of OpenNCD, all of which can count.
std::vector<std::string> counting_methods() {
  std::vector<std::string> names;
  for (const std::string& name : method_entry_names())
    if (const std::string method = method_entry(name).method; method == kOpenNcd || method == kPlus)
      names.push_back(name);
  return names;
}

// Options of the comparison itself, which are nothing to its runs; and of its counters alone.
constexpr std::array<std::string_view, 7> kComparing = {"methods", "seeds", "counters", "ablation",
                                                        "sweep",   "maps",  "from"};
constexpr std::array<std::string_view, 3> kCounting = {"pca", "most-clusters",
                                                       "autoencoder-epochs"};

TrainOptions without(std::span<const std::string_view> keys, TrainOptions options) {
  std::erase_if(options.common.sources.settings, [&](const Setting& setting) {
    return std::find(keys.begin(), keys.end(), setting.key) != keys.end();
  });
  return options;
}

/// A counter that trains a method, and whether it sees labels.
struct TrainedCounter {
  std::string method;
  bool labelled = true;
};

std::optional<TrainedCounter> trained_counter(std::string counter) {
  const bool labelled = !counter.ends_with(kUnlabelled);
  if (!labelled) counter.resize(counter.size() - kUnlabelled.size());
  const std::vector<std::string> names = counting_methods();
  if (std::find(names.begin(), names.end(), counter) == names.end()) return std::nullopt;
  return TrainedCounter{counter, labelled};
}

class Planner {
 public:
  Planner(const CompareOptions& options, const PublishedSetting& setting)
      : options_(options),
        setting_(setting),
        asked_(without(kCounting, without(kComparing, options.train))),
        seeds_(options.seeds.empty() ? std::vector<std::uint32_t>{options.train.common.seed}
                                     : options.seeds) {
    const bool others = options.ablation || !options.counters.empty() || !options.sweeps.empty();
    if (options.methods.empty() && !others) add_method(kOpenNcd);
    for (const std::string& method : options.methods) {
      if (method != kAllMethods)
        add_method(method);
      else
        for (const std::string& each : method_names()) add_method(each);
    }
  }

  ComparisonPlan plan() {
    const std::string own = own_method();
    for (const std::string& text : options_.sweeps) {
      sweeps_.push_back(parse_sweep(text, {options_of(method_entry(own), asked_), setting_.known}));
      if (sweeps_.back().key == "known") check_split_is_open("--sweep known");
    }
    for (const std::string& counter : options_.counters)
      if (const auto trained = trained_counter(counter); trained && !trained->labelled)
        check_split_is_open("--counters " + counter);
    for (const std::uint32_t seed : seeds_) add_runs(seed);
    if (!methods_.empty()) add_methods_table();
    if (!options_.counters.empty()) add_counters_table();
    if (options_.ablation) add_ablation_table();
    for (const Sweep& sweep : sweeps_) add_sweep_table(sweep);
    for (const std::string& method : methods_)
      plan_.mapped.push_back(fmt::format("{}-{}", method, seeds_.front()));
    return std::move(plan_);
  }

 private:
  static std::string stem(const std::string& method, const Variant& variant) {
    return variant.tag.empty() ? method : method + "-" + variant.tag;
  }

  void add_method(const std::string& name) {
    if (std::find(methods_.begin(), methods_.end(), name) == methods_.end())
      methods_.push_back(name);
  }

  static bool is_published(const std::string& method) {
    return method_entry(method).is_published();
  }

  /// Whose parts are left out and whose numbers are swept: OpenNCD as published, in the form that is
  /// compared, or that of the presets in force.
  std::string own_method() const {
    for (const std::string& method : methods_)
      if (is_published(method)) return method;
    return kOpenNcd;
  }

  /// UsageError where a file of the user's own says which rows are labelled, so that `what` could not
  /// change it.
  void check_split_is_open(const std::string& what) const {
    for (const auto& [file, option] : {std::pair{&options_.train.split.splits, "--splits"},
                                       std::pair{&options_.train.data.labels, "--labels"}})
      if (!file->empty())
        fail<UsageError>("{}: {} says already which rows and classes are known", what, option);
  }

  /// How runs that count differ from others: they are not told the number, and may have no labels.
  Variant variant_of(const TrainedCounter& counter) const {
    const auto forget_number = [](TrainOptions& o) {
      o.method.classes = "auto";
      note_setting(o, "classes", "auto");
    };
    if (!counter.labelled)
      return {"unlabelled", "", [=](TrainOptions& o) {
                forget_number(o);
                o.split.labeled_ratio = 0.0;
                note_setting(o, "labeled-ratio", 0.0);
              }};
    if (asked_.method.classes == "auto") return {};
    return {"auto", "", forget_number};
  }

  std::optional<PublishedAccuracy> published(const std::string& method) const {
    const MethodEntry entry = method_entry(method);
    return published_accuracy(setting_, entry.method);
  }

  std::optional<PublishedCount> published_number(const std::string& counter) const {
    const auto trained = trained_counter(counter);
    if (!trained) return published_count(setting_, counter);
    if (!is_published(trained->method)) return std::nullopt;
    PublishedSetting setting = setting_;
    if (!trained->labelled) setting.labeled_ratio = 0.0;
    return published_count(setting, kOpenNcd);
  }

  /// A sweep of what only OpenNCD has is about OpenNCD.
  std::vector<std::string> methods_of(const Sweep& sweep) const {
    return sweep.key == "known" && !methods_.empty() ? methods_
                                                     : std::vector<std::string>{own_method()};
  }

  /// OpenNCD's, and those of opencd+ where that is compared.
  std::vector<std::pair<std::string, Variant>> all_ablations() const {
    std::vector<std::pair<std::string, Variant>> all;
    for (const Variant& variant : ablations()) all.emplace_back(own_method(), variant);
    if (std::find(methods_.begin(), methods_.end(), kPlus) != methods_.end())
      for (const Variant& variant : plus_ablations()) all.emplace_back(kPlus, variant);
    return all;
  }

  void add_runs(std::uint32_t seed) {
    for (const std::string& method : methods_) add_training(method, {}, seed);
    for (const std::string& counter : options_.counters) {
      if (const auto trained = trained_counter(counter))
        add_training(trained->method, variant_of(*trained), seed);
      else
        add_count(counter, seed);
    }
    if (options_.ablation)
      for (const auto& [method, variant] : all_ablations()) add_training(method, variant, seed);
    for (const Sweep& sweep : sweeps_)
      for (const Variant& variant : sweep.variants)
        for (const std::string& method : methods_of(sweep)) add_training(method, variant, seed);
  }

  void add_training(const std::string& method, const Variant& variant, std::uint32_t seed) {
    const MethodEntry entry = method_entry(method);
    PlannedRun run{.name = fmt::format("{}-{}", stem(method, variant), seed),
                   .shown = method,
                   .options = options_of(entry, asked_),
                   .rule = known_rule(entry.method)};
    variant.apply(run.options);
    add(std::move(run), seed);
  }

  void add_count(const std::string& counter, std::uint32_t seed) {
    add({.name = fmt::format("{}-{}", counter, seed),
         .shown = counter,
         .counter = counter,
         .options = without(kComparing, options_.train)},
        seed);
  }

  void add(PlannedRun run, std::uint32_t seed) {
    const auto same = [&](const PlannedRun& other) { return other.name == run.name; };
    if (std::any_of(plan_.runs.begin(), plan_.runs.end(), same)) return;
    run.options.common.seed = seed;
    note_setting(run.options, "seed", seed);
    plan_.runs.push_back(std::move(run));
  }

  std::vector<std::string> names_of(const std::string& first) const {
    std::vector<std::string> names;
    names.reserve(seeds_.size());
    for (const std::uint32_t seed : seeds_) names.push_back(fmt::format("{}-{}", first, seed));
    return names;
  }

  void add_row(TableOfRuns& table, const std::string& runs, ScoreRow row) const {
    table.table.rows.push_back(std::move(row));
    table.runs.push_back(names_of(runs));
  }

  void add_methods_table() {
    TableOfRuns table{{.file = "methods",
                       .title = "Methods",
                       .headers = {"method"},
                       .columns = accuracy_columns()},
                      {}};
    for (const std::string& method : methods_)
      add_row(table, method,
              {.names = {method},
               .published = cells_of(published(method)),
               .rule = known_rule(method_entry(method).method)});
    plan_.tables.push_back(std::move(table));
  }

  void add_counters_table() {
    TableOfRuns table{{.file = "counters",
                       .title = "The number of classes",
                       .headers = {"counter"},
                       .columns = count_columns()},
                      {}};
    for (const std::string& counter : options_.counters) {
      const auto trained = trained_counter(counter);
      add_row(table, trained ? stem(trained->method, variant_of(*trained)) : counter,
              {.names = {counter}, .published = cells_of(published_number(counter))});
    }
    plan_.tables.push_back(std::move(table));
  }

  void add_ablation_table() {
    TableOfRuns table{{.file = "ablation",
                       .title = "Parts left out and added",
                       .headers = {"method", "variant"},
                       .columns = accuracy_columns()},
                      {}};
    for (const auto& [method, variant] : all_ablations()) {
      ScoreRow row{.names = {method, variant.label}};
      if (is_published(method))
        row.published =
            cells_of(published_ablation(setting_, variant.tag.empty() ? "full" : variant.tag));
      add_row(table, stem(method, variant), std::move(row));
    }
    plan_.tables.push_back(std::move(table));
  }

  void add_sweep_table(const Sweep& sweep) {
    TableOfRuns table{{.file = "sweep-" + sweep.key,
                       .title = "Sweep of " + sweep.what(),
                       .headers = {sweep.header(), "method"},
                       .columns = accuracy_columns(),
                       .is_sweep = true},
                      {}};
    for (const Variant& variant : sweep.variants)
      for (const std::string& method : methods_of(sweep))
        add_row(
            table, stem(method, variant),
            {.names = {variant.label, method}, .rule = known_rule(method_entry(method).method)});
    plan_.tables.push_back(std::move(table));
  }

  const CompareOptions& options_;
  PublishedSetting setting_;
  TrainOptions asked_;
  std::vector<std::uint32_t> seeds_;
  std::vector<std::string> methods_;
  std::vector<Sweep> sweeps_;
  ComparisonPlan plan_;
};

}  // namespace

std::vector<std::string> comparison_methods() { return method_entry_names(); }

std::vector<std::string> comparison_counters() {
  std::vector<std::string> names = counter_names();
  for (const std::string& method : counting_methods())
    for (const std::string_view ending : {std::string_view(), kUnlabelled})
      names.push_back(fmt::format("{}{}", method, ending));
  return names;
}

ComparisonPlan plan_comparison(const CompareOptions& options, const PublishedSetting& setting) {
  return Planner(options, setting).plan();
}

}  // namespace opencd::cli
