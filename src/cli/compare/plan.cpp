#include "cli/compare/plan.hpp"

#include "error.hpp"

#include <algorithm>
#include <charconv>

namespace opencd::cli {

namespace {

// Whose parts are left out and whose numbers are swept; and what it became, whose parts are others.
constexpr const char* kOwnMethod = "opencd";
constexpr const char* kPlusMethod = "opencd+";

/// A change of the options that makes another run.
struct Variant {
  std::string tag;    // in names of runs: "no-reg"; empty: as the options are
  std::string label;  // in tables: "without L_reg"
  std::function<void(TrainOptions&)> apply = [](TrainOptions&) {};
};

/// Changes what args.json will say of an option.
void note_setting(TrainOptions& options, const std::string& key, nlohmann::ordered_json value) {
  for (Setting& setting : options.common.sources.settings)
    if (setting.key == key) {
      setting.value = std::move(value);
      setting.source = "compare";
      return;
    }
  options.common.sources.settings.push_back({key, std::move(value), "compare"});
}

Variant flagged(const char* tag, const char* label, const char* key, bool MethodArguments::* flag) {
  return {tag, label, [key, flag](TrainOptions& o) {
            o.method.*flag = true;
            note_setting(o, key, true);
          }};
}

Variant weightless(const char* tag, const char* label, const char* key, double OpenNcdConfig::* w) {
  return {tag, label, [key, w](TrainOptions& o) {
            o.method.open_ncd.*w = 0.0;
            note_setting(o, key, 0.0);
          }};
}

std::vector<Variant> ablations() {
  return {weightless("no-reg", "without L_reg", "lambda-reg", &OpenNcdConfig::lambda_reg),
          weightless("no-ce", "without L_ce", "lambda-ce", &OpenNcdConfig::lambda_ce),
          flagged("no-group", "without L_group", "no-group-loss", &MethodArguments::no_group_loss),
          flagged("no-proto", "without L_proto", "no-proto-loss", &MethodArguments::no_proto_loss),
          {"", "full"}};
}

std::vector<Variant> plus_ablations() {
  return {{"no-share", "opencd+ with labelled rows as in the set",
           [](TrainOptions& o) {
             o.method.labeled_share = 0.0;
             note_setting(o, "labeled-share", 0.0);
           }},
          flagged("no-balance", "opencd+ without balanced prediction", "no-balanced-prediction",
                  &MethodArguments::no_balanced_prediction),
          flagged("targets", "opencd+ with balanced targets", "balanced-targets",
                  &MethodArguments::balanced_targets),
          flagged("strong", "opencd+ with strong views", "strong-views",
                  &MethodArguments::strong_views),
          flagged("whole", "opencd+ with the whole network", "whole-network",
                  &MethodArguments::whole_network),
          {"", "opencd+"}};
}

template <class T>
T parse_value(const std::string& key, const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || value < T{})
    fail<UsageError>("--sweep: expected {}=NUMBER,NUMBER,..., got '{}' among its values", key,
                     text);
  return value;
}

/// What a value of a sweep changes; UsageError for keys that cannot be swept.
Variant sweep_variant(const std::string& key, const std::string& text) {
  Variant variant{key + "-" + text, text};
  if (key == "known" || key == "prototypes") {
    const auto value = parse_value<std::size_t>(key, text);
    variant.apply = [key, value](TrainOptions& o) {
      if (key == "known") {
        o.split.known = value;
        o.split.known_classes.clear();
      } else {
        o.method.open_ncd.prototypes = static_cast<std::int64_t>(value);
      }
      note_setting(o, key, value);
    };
  } else if (key == "lambda-reg" || key == "lambda-ce") {
    const auto value = parse_value<double>(key, text);
    variant.apply = [key, value](TrainOptions& o) {
      (key == "lambda-reg" ? o.method.open_ncd.lambda_reg : o.method.open_ncd.lambda_ce) = value;
      note_setting(o, key, value);
    };
  } else {
    fail<UsageError>("--sweep: expected known, prototypes, lambda-reg or lambda-ce, got '{}'", key);
  }
  return variant;
}

struct Sweep {
  std::string key;
  std::vector<Variant> variants;
};

Sweep parse_sweep(const std::string& text) {
  const std::size_t equals = text.find('=');
  Sweep sweep{text.substr(0, equals), {}};
  std::replace(sweep.key.begin(), sweep.key.end(), '_', '-');
  std::string rest = equals == std::string::npos ? "" : text.substr(equals + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    sweep.variants.push_back(sweep_variant(sweep.key, rest.substr(0, comma)));
    if (comma == std::string::npos) return sweep;
    rest = rest.substr(comma + 1);
  }
}

std::vector<std::string> cells_of(const std::optional<PublishedAccuracy>& accuracy) {
  if (!accuracy) return {};
  return {fmt::format("{:.1f}", accuracy->known), fmt::format("{:.1f}", accuracy->novel),
          fmt::format("{:.1f}", accuracy->all), ""};
}

std::vector<std::string> cells_of(const std::optional<PublishedCount>& count) {
  if (!count) return {};
  return {count->classes, count->all, count->nmi};
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
  }

  ComparisonPlan plan() {
    for (const std::string& text : options_.sweeps) {
      sweeps_.push_back(parse_sweep(text));
      if (sweeps_.back().key == "known" && !options_.train.split.splits.empty())
        fail<UsageError>("--sweep known: --splits says already which classes are known");
    }
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

  /// The method whose number of classes counts as OpenNCD's: if the number is given, runs that are
  /// not told it are needed besides.
  Variant uncounted() const {
    if (options_.train.method.classes == "auto") return {"", kOwnMethod};
    return {"auto", kOwnMethod, [](TrainOptions& o) {
              o.method.classes = "auto";
              note_setting(o, "classes", "auto");
            }};
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
    for (const std::string& counter : options_.counters)
      counter == kOwnMethod ? add_training(kOwnMethod, uncounted(), seed)
                            : add_count(counter, seed);
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
    add({fmt::format("{}-{}", stem(method, variant), seed), "", std::move(options)}, seed);
  }

  void add_count(const std::string& counter, std::uint32_t seed) {
    add({fmt::format("{}-{}", counter, seed), counter, options_.train}, seed);
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

  void add_row(PlannedTable& table,
               std::vector<std::string> names,
               const std::string& runs,
               std::vector<std::string> published) const {
    table.table.rows.push_back({std::move(names), {}, 0, std::move(published)});
    table.runs.push_back(names_of(runs));
  }

  void add_methods_table() {
    PlannedTable table{{"methods", "Methods", {"method"}, accuracy_columns(), {}}, {}};
    for (const std::string& method : methods_)
      add_row(table, {method}, method, cells_of(published_accuracy(setting_, method)));
    plan_.tables.push_back(std::move(table));
  }

  void add_counters_table() {
    PlannedTable table{{"counters", "The number of classes", {"counter"}, count_columns(), {}}, {}};
    for (const std::string& counter : options_.counters)
      add_row(table, {counter}, counter == kOwnMethod ? stem(counter, uncounted()) : counter,
              cells_of(published_count(setting_, counter)));
    plan_.tables.push_back(std::move(table));
  }

  void add_ablation_table() {
    PlannedTable table{
        {"ablation", "Parts left out and added", {"variant"}, accuracy_columns(), {}}, {}};
    for (const auto& [method, variant] : all_ablations())
      add_row(table, {variant.label}, stem(method, variant),
              method == kOwnMethod ? cells_of(published_ablation(
                                         setting_, variant.tag.empty() ? "full" : variant.tag))
                                   : std::vector<std::string>{});
    plan_.tables.push_back(std::move(table));
  }

  void add_sweep_table(const Sweep& sweep) {
    PlannedTable table{{"sweep-" + sweep.key,
                        "Sweep of " + sweep.key,
                        {sweep.key, "method"},
                        accuracy_columns(),
                        {}},
                       {}};
    for (const Variant& variant : sweep.variants)
      for (const std::string& method : methods_of(sweep))
        add_row(table, {variant.label, method}, stem(method, variant), {});
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

ComparisonPlan plan_comparison(const CompareOptions& options, const PublishedSetting& setting) {
  return Planner(options, setting).plan();
}

}  // namespace opencd::cli
