#include "cli/compare/plan.hpp"

#include "cli/compare/variants.hpp"
#include "error.hpp"
#include "opencd/methods/registry.hpp"

#include <algorithm>

namespace opencd::cli {

namespace {

// Whose parts are left out and whose numbers are swept; and what it became, whose parts are others.
constexpr const char* kOwnMethod = "opencd";
constexpr const char* kPlusMethod = "opencd+";
// OpenNCD as a counter that has no labels.
constexpr const char* kUnlabelled = "opencd-unlabelled";

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

class Planner {
 public:
  Planner(const CompareOptions& options, const PublishedSetting& setting)
      : options_(options),
        setting_(setting),
        seeds_(options.seeds.empty() ? std::vector<std::uint32_t>{options.train.common.seed}
                                     : options.seeds),
        methods_(options.methods) {
    const bool others = options.ablation || !options.counters.empty() || !options.sweeps.empty();
    if (methods_.empty() && !others) methods_ = {kOwnMethod};
    if (std::find(methods_.begin(), methods_.end(), kAllMethods) != methods_.end())
      methods_ = method_names();
  }

  ComparisonPlan plan() {
    for (const std::string& text : options_.sweeps) {
      sweeps_.push_back(parse_sweep(text, {options_.train, setting_.known}));
      if (sweeps_.back().key == "known") check_split_is_open("--sweep known");
    }
    if (is_counted_by(kUnlabelled)) check_split_is_open("--counters opencd-unlabelled");
    for (const std::uint32_t seed : seeds_) add_runs(seed);
    if (!methods_.empty()) add_methods_table();
    if (!options_.counters.empty()) add_counters_table();
    if (options_.ablation) add_ablation_table();
    for (const Sweep& sweep : sweeps_) add_sweep_table(sweep);
    return std::move(plan_);
  }

 private:
  static std::string stem(const std::string& method, const Variant& variant) {
    return variant.tag.empty() ? method : method + "-" + variant.tag;
  }

  bool is_counted_by(const std::string& counter) const {
    return std::find(options_.counters.begin(), options_.counters.end(), counter) !=
           options_.counters.end();
  }

  /// UsageError where a file of the user's own says which rows are labelled, so that `what` could not
  /// change it.
  void check_split_is_open(const char* what) const {
    for (const auto& [file, option] : {std::pair{&options_.train.split.splits, "--splits"},
                                       std::pair{&options_.train.data.labels, "--labels"}})
      if (!file->empty())
        fail<UsageError>("{}: {} says already which rows and classes are known", what, option);
  }

  /// The runs whose number of classes counts as OpenNCD's: if the number is given, or no labels are
  /// wanted, these are needed besides. Nothing for a counter that trains no method.
  std::optional<Variant> own_counter(const std::string& counter) const {
    const auto forget_number = [](TrainOptions& o) {
      o.method.classes = "auto";
      note_setting(o, "classes", "auto");
    };
    if (counter == kUnlabelled)
      return Variant{"unlabelled", counter, [=](TrainOptions& o) {
                       forget_number(o);
                       o.split.labeled_ratio = 0.0;
                       note_setting(o, "labeled-ratio", 0.0);
                     }};
    if (counter != kOwnMethod) return std::nullopt;
    if (options_.train.method.classes == "auto") return Variant{"", counter};
    return Variant{"auto", counter, forget_number};
  }

  std::optional<PublishedCount> published(const std::string& counter) const {
    if (counter != kUnlabelled) return published_count(setting_, counter);
    PublishedSetting unlabelled = setting_;
    unlabelled.labeled_ratio = 0.0;
    return published_count(unlabelled, kOwnMethod);
  }

  /// A sweep of what only OpenNCD has is about OpenNCD.
  std::vector<std::string> methods_of(const Sweep& sweep) const {
    return sweep.key == "known" && !methods_.empty() ? methods_
                                                     : std::vector<std::string>{kOwnMethod};
  }

  /// OpenNCD's, and those of opencd+ where that is compared.
  std::vector<std::pair<std::string, Variant>> all_ablations() const {
    std::vector<std::pair<std::string, Variant>> all;
    for (const Variant& variant : ablations()) all.emplace_back(kOwnMethod, variant);
    if (std::find(methods_.begin(), methods_.end(), kPlusMethod) != methods_.end())
      for (const Variant& variant : plus_ablations()) all.emplace_back(kPlusMethod, variant);
    return all;
  }

  void add_runs(std::uint32_t seed) {
    for (const std::string& method : methods_) add_training(method, {}, seed);
    for (const std::string& counter : options_.counters) {
      if (const std::optional<Variant> own = own_counter(counter))
        add_training(kOwnMethod, *own, seed);
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
    TrainOptions options = options_.train;
    options.method.method = method;
    note_setting(options, "method", method);
    variant.apply(options);
    add({.name = fmt::format("{}-{}", stem(method, variant), seed),
         .options = std::move(options),
         .rule = known_rule(method)},
        seed);
  }

  void add_count(const std::string& counter, std::uint32_t seed) {
    add({.name = fmt::format("{}-{}", counter, seed),
         .counter = counter,
         .options = options_.train},
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

  void add_row(PlannedTable& table, const std::string& runs, ScoreRow row) const {
    table.table.rows.push_back(std::move(row));
    table.runs.push_back(names_of(runs));
  }

  void add_methods_table() {
    PlannedTable table{{"methods", "Methods", {"method"}, accuracy_columns(), {}}, {}};
    for (const std::string& method : methods_)
      add_row(table, method,
              {.names = {method},
               .published = cells_of(published_accuracy(setting_, method)),
               .rule = known_rule(method)});
    plan_.tables.push_back(std::move(table));
  }

  void add_counters_table() {
    PlannedTable table{{"counters", "The number of classes", {"counter"}, count_columns(), {}}, {}};
    for (const std::string& counter : options_.counters) {
      const std::optional<Variant> own = own_counter(counter);
      add_row(table, own ? stem(kOwnMethod, *own) : counter,
              {.names = {counter}, .published = cells_of(published(counter))});
    }
    plan_.tables.push_back(std::move(table));
  }

  void add_ablation_table() {
    PlannedTable table{
        {"ablation", "Parts left out and added", {"variant"}, accuracy_columns(), {}}, {}};
    for (const auto& [method, variant] : all_ablations()) {
      ScoreRow row{.names = {variant.label}};
      if (method == kOwnMethod)
        row.published =
            cells_of(published_ablation(setting_, variant.tag.empty() ? "full" : variant.tag));
      add_row(table, stem(method, variant), std::move(row));
    }
    plan_.tables.push_back(std::move(table));
  }

  void add_sweep_table(const Sweep& sweep) {
    PlannedTable table{{.file = "sweep-" + sweep.key,
                        .title = "Sweep of " + sweep.what(),
                        .headers = {sweep.header(), "method"},
                        .columns = accuracy_columns(),
                        .is_sweep = true},
                       {}};
    for (const Variant& variant : sweep.variants)
      for (const std::string& method : methods_of(sweep))
        add_row(table, stem(method, variant),
                {.names = {variant.label, method}, .rule = known_rule(method)});
    plan_.tables.push_back(std::move(table));
  }

  const CompareOptions& options_;
  PublishedSetting setting_;
  std::vector<std::uint32_t> seeds_;
  std::vector<std::string> methods_;
  std::vector<Sweep> sweeps_;
  ComparisonPlan plan_;
};

}  // namespace

std::vector<std::string> comparison_counters() {
  std::vector<std::string> names = all_counters();
  names.emplace_back(kUnlabelled);
  return names;
}

ComparisonPlan plan_comparison(const CompareOptions& options, const PublishedSetting& setting) {
  return Planner(options, setting).plan();
}

}  // namespace opencd::cli
