// `compare`: methods, counters, ablations and sweeps on the same data, backbone and split, and the
// tables of it all. The same command goes on where it was stopped. With --from, the tables of
// comparisons that were made before.
#include "cli/commands.hpp"
#include "cli/compare/comparison.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/report/map_features.hpp"
#include "error.hpp"

namespace opencd::cli {

namespace {

using report::kMostMapPoints;

PublishedSetting published_setting(const CompareOptions& o,
                                   const data::ImageSet& set,
                                   const data::OpenWorldSplit& split) {
  // A part of the set, or a split of the user's own, is another setting.
  const bool own = o.train.data.limit != 0 || !o.train.split.splits.empty();
  const std::size_t classes = split.class_order.size();
  return {own ? "" : set.name, classes, split.known, o.train.split.labeled_ratio,
          parse_classes(o.train.method.classes) == classes};
}

/// The tables of comparisons that were made before, from their runs.json.
int show_tables(const CompareOptions& o) {
  std::vector<ComparisonRecord> records;
  records.reserve(o.from.size());
  for (const std::string& file : o.from) records.push_back(read_comparison(file));
  if (o.train.common.json) {
    Json list = Json::array();
    for (const ComparisonRecord& record : records) list.push_back(to_json(record));
    print_json({{"comparisons", list}});
    return 0;
  }
  for (const ComparisonRecord& record : records) print_line(to_markdown(record));
  return 0;
}

int compare(CompareOptions o) {
  if (!o.from.empty()) return show_tables(o);
  if (o.train.data.data.empty())
    fail<UsageError>("compare: expected DATA to compare methods on, or --from runs.json");
  const data::ImageSet set = open_data(o.train.data);
  const data::OpenWorldSplit split = open_split(o.train.split, set);
  if (o.train.run.out.empty())
    o.train.run.out = (std::filesystem::path(o.train.run.root) / ("compare-" + set.name)).string();
  Comparison comparison(o, plan_comparison(o, published_setting(o, set, split)), set);
  const auto device = open_device(o.train.common);
  const nn::Engine engine(*device);
  const int code = comparison.run(engine);
  if (o.train.common.json) {
    Json said = to_json(comparison.record());
    said["folder"] = o.train.run.out;
    print_json(said);
  } else {
    print_line(to_markdown(comparison.record()));
  }
  if (code == 0) comparison.rethrow_first_failure();
  return code;
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand(
      "compare", "Run methods and counters on the same ground and write the paper's tables");
  TrainOptions& train = options->train;
  add_train_options(*verb, train);
  for (const char* single : {"--method", "--name", "--resume"})
    verb->remove_option(verb->get_option(single));
  for (Preset& preset : train.common.sources.presets)
    std::erase_if(preset.values, [](const auto& value) { return value.first == "method"; });
  verb->get_option("DATA")->required(false);  // --from needs none
  const std::string group = "Comparison";
  std::vector<std::string> methods = comparison_methods();
  methods.insert(methods.begin(), kAllMethods);
  verb->add_option("--methods", options->methods,
                   "Methods: opencd,simclr-kmeans,..., or all; opencd-code and opencd-paper are "
                   "OpenNCD by those presets (default: opencd, if no other table is asked for)")
      ->delimiter(',')
      ->check(CLI::IsMember(methods))
      ->group(group);
  verb->add_option("--seeds", options->seeds, "Seeds of every method: 0,1,2 (default: --seed)")
      ->delimiter(',')
      ->group(group);
  verb->add_option("--counters", options->counters,
                   "Counters of classes for the table of class numbers")
      ->delimiter(',')
      ->check(CLI::IsMember(comparison_counters()))
      ->group(group);
  verb->add_flag("--ablation", options->ablation,
                 "OpenNCD without each of its losses; opencd+, if compared, without and with each "
                 "of its parts")
      ->group(group);
  verb->add_option("--sweep", options->sweeps,
                   "KEY=VALUE,VALUE,... with known, prototypes, lambda-reg or lambda-ce; may be "
                   "given more than once")
      ->group(group);
  verb->add_option(
          "--maps", options->maps,
          "Draw a map of so many rows for every method (first seed), side by side; 0: none")
      ->check(CLI::Range(std::size_t{0}, kMostMapPoints))
      ->capture_default_str()
      ->group(group);
  verb->add_option("--from", options->from,
                   "Only show the tables that the runs.json of earlier comparisons make")
      ->group(group);
  // These say which runs there are, and a run knows by itself what it computes.
  keyed_by("", *verb, [&] { add_counter_options(*verb, options->counting); });
  for (const char* plan :
       {"--methods", "--seeds", "--counters", "--ablation", "--sweep", "--maps", "--from"})
    harmless(verb->get_option(plan));
  define_verb(*verb, train.common, action, [options] { return compare(*options); });
  verb->footer(
      "Example: opencd_sycl compare fashion-mnist --preset small --classes 10 --weights "
      "backbone.safetensors --methods opencd,simclr-kmeans --seeds 0,1,2 --out comparison");
}

}  // namespace opencd::cli
