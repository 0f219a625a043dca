// `bench`: timings with a correctness check, as a table or as JSON, on one device or several, and
// two of its results beside each other.
#include "bench/data.hpp"
#include "bench/discover.hpp"
#include "bench/ops.hpp"
#include "bench/predict.hpp"
#include "bench/train.hpp"
#include "cli/bench_comparison.hpp"
#include "cli/commands.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/run_model.hpp"
#include "cli/version.hpp"
#include "error.hpp"
#include "files/strict_json.hpp"
#include "opencd/methods/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace opencd::cli {

namespace {

struct BenchOptions {
  CommonOptions common;
  bench::DecodeOptions decode;
  std::string map_of;
  std::string predict_run;
  std::string suite;
  std::vector<std::string> compared;  // two files; then nothing is timed
  bench::MeasureOptions measure;
  bool profile = false;
  bench::TrainOptions train;
  bench::TrainParts parts;
  std::string freeze_until = "stage3";
  std::string frozen_norm = "batch";
};

/// The names of nn::FreezePoint, in its order.
std::vector<std::string> freeze_points() {
  return {"none", "stage1", "stage2", "stage3", "stage4"};
}

nn::FreezePoint freeze_point(const std::string& name) {
  const auto names = freeze_points();
  return static_cast<nn::FreezePoint>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::string describe_all(const bench::Result& result) {
  const std::string params = describe(result.params);
  return result.figures.empty() ? params : params + " " + describe(result.figures);
}

void print_results(const std::vector<bench::Result>& results) {
  std::vector<std::vector<std::string>> rows;
  for (const bench::Result& result : results) {
    const bool timed = !result.samples_ms.empty();
    const auto [low, high] =
        std::minmax_element(result.samples_ms.begin(), result.samples_ms.end());
    rows.push_back(
        {result.name, describe_all(result), timed ? three_digits(result.median_ms) : "-",
         timed ? three_digits(*low) + ".." + three_digits(*high) : "-",
         timed ? three_digits(result.rate) : "-", result.unit,
         result.roof_share > 0.0 ? fmt::format("{:.0f}%", 100.0 * result.roof_share) : "-",
         result.check});
  }
  print_table({"test", "size", "ms", "range", "rate", "unit", "of roof", "check"}, rows);
}

bench::Json profile_json(kernels::Device& device) {
  bench::Json list = bench::Json::array();
  for (const kernels::KernelTime& time : device.profile())
    list.push_back({{"kernel", time.name}, {"launches", time.launches}, {"ms", time.milliseconds}});
  return list;
}

void print_profile(kernels::Device& device) {
  std::vector<std::vector<std::string>> rows;
  for (const kernels::KernelTime& time : device.profile())
    rows.push_back({time.name, fmt::format("{}", time.launches), three_digits(time.milliseconds)});
  print_line("");
  print_table({"kernel", "launches", "device ms"}, rows);
}

std::vector<bench::Result> run_suite(const BenchOptions& options, const nn::Engine& engine) {
  if (options.suite == "data")
    return bench::run_data_suite(engine.device(), options.decode, options.measure);
  if (options.suite == "predict")
    return bench::run_predict_suite(engine, open_model({.run = options.predict_run}),
                                    {.block = static_cast<std::size_t>(options.train.batch),
                                     .deterministic = options.common.deterministic},
                                    options.measure);
  if (options.suite == "discover")
    return bench::run_discover_suite(engine, options.map_of, options.measure);
  if (options.suite == "train") {
    bench::TrainOptions train = options.train;
    train.deterministic = options.common.deterministic;
    train.freeze = freeze_point(options.freeze_until);
    train.frozen_norm =
        options.frozen_norm == "fixed" ? nn::FrozenNorm::fixed : nn::FrozenNorm::batch;
    return bench::run_train_suite(engine, train, options.parts, options.measure);
  }
  return bench::run_ops_suite(engine, options.measure);
}

bool passed(const std::vector<bench::Result>& results) {
  return std::all_of(results.begin(), results.end(),
                     [](const bench::Result& result) { return result.check == "passed"; });
}

/// What one device gave: its record and whether all checks passed.
struct DeviceRun {
  Json record;
  bool passed = false;
};

DeviceRun run_on(const BenchOptions& options, const std::string& selector) {
  CommonOptions common = options.common;
  common.device = selector;
  const auto opened = open_device(common, options.profile);
  kernels::Device& device = *opened;
  const nn::Engine engine(device);
  const std::vector<bench::Result> results = run_suite(options, engine);
  Json record = bench::to_json(options.suite, device.info(), results);
  record["version"] = program_version();
  record["libraries"] = {sycl_version(), nn::onednn_version(), nn::onemkl_version()};
  record["utc_seconds"] = std::chrono::duration_cast<std::chrono::seconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
  if (options.profile) record["profile"] = profile_json(device);
  if (!options.common.json) {
    print_results(results);
    if (options.profile) print_profile(device);
  }
  return {std::move(record), passed(results)};
}

/// The devices that `words` name: one, several after commas, or all that can train.
std::vector<std::string> devices_of(const std::string& words) {
  if (words != "all") return CLI::detail::split(words, ',');
  std::vector<std::string> selectors;
  for (const kernels::DeviceInfo& device : kernels::list_devices())
    if (device.can_train) selectors.push_back(device.selector);
  if (selectors.empty()) fail<DeviceError>("[bench] no device can train; `devices` says why");
  return selectors;
}

int time_suite(const BenchOptions& options) {
  if (options.suite == "predict" && options.predict_run.empty())
    fail<UsageError>("[bench] bench predict needs a model: --run RUN, a run of `train`");
  std::vector<Json> records;
  std::vector<std::string> names;
  bool all_passed = true;
  for (const std::string& selector : devices_of(options.common.device)) {
    DeviceRun run = run_on(options, selector);
    all_passed = all_passed && run.passed;
    names.push_back(run.record["device"]["selector"]);
    records.push_back(std::move(run.record));
  }
  if (records.size() > 1 && !options.common.json) {
    print_line("");
    print_comparison(names, compare_records(records));
  }
  if (options.common.json)
    print_json(records.size() == 1 ? records.front()
                                   : Json{{"suite", options.suite}, {"devices", records}});
  return all_passed ? 0 : 1;
}

int compare_files(const BenchOptions& options) {
  std::vector<Json> records;
  for (const std::string& file : options.compared) {
    records.push_back(files::read_json_file(file));
    check_record(records.back(), file);
  }
  const std::vector<ComparedResult> results = compare_records(records);
  if (results.empty())
    fail<FormatError>("[bench] {} and {} have no case in common", printable(options.compared[0]),
                      printable(options.compared[1]));
  if (options.common.json)
    print_json(to_json(options.compared, results));
  else
    print_comparison(options.compared, results);
  return 0;
}

int run(const BenchOptions& options) {
  if (!options.compared.empty()) return compare_files(options);
  if (options.suite.empty())
    fail<UsageError>(
        "[bench] expected a suite (ops, data, train, discover, predict) or --compare A B");
  return time_suite(options);
}

void add_train_options(CLI::App& verb, BenchOptions& options) {
  const std::string group = "Options of bench train";
  const auto number_option = [&](const char* name, std::int64_t& value, const char* help) {
    verb.add_option(name, value, help)
        ->check(CLI::PositiveNumber)
        ->capture_default_str()
        ->group(group);
  };
  number_option("-b,--batch", options.train.batch, "Pictures in a step, each with two views");
  number_option("--crop", options.train.crop, "Pixels a side of a view");
  number_option("--width", options.train.width, "Channels of the first stage");
  number_option("--prototypes", options.train.prototypes, "Number of prototypes");
  verb.add_option("--arch", options.train.arch, "Network")->capture_default_str()->group(group);
  verb.add_option("--freeze-until", options.freeze_until, "Last stage that is not trained")
      ->check(CLI::IsMember(freeze_points()))
      ->capture_default_str()
      ->group(group);
  verb.add_option("--frozen-norm", options.frozen_norm, "Batch norm of frozen stages")
      ->check(CLI::IsMember({"batch", "fixed"}))
      ->capture_default_str()
      ->group(group);
  verb.add_option("--method", options.train.method,
                  "Also a whole step of this method, views and all, and one of OpenNCD beside it")
      ->check(CLI::IsMember(method_names()))
      ->group(group);
  verb.add_flag("!--no-step", options.parts.step, "Leave out the training step")->group(group);
  verb.add_flag("!--no-inference", options.parts.inference, "Leave out inference")->group(group);
  verb.add_flag("--convolutions", options.parts.convolutions, "Every convolution by itself")
      ->group(group);
}

}  // namespace

void add_bench_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = app.add_subcommand("bench", "Time kernels and steps, each checked first");
  verb->add_option("suite", options->suite, "What to time: ops | data | train | discover | predict")
      ->check(CLI::IsMember({"ops", "data", "train", "discover", "predict"}));
  verb->add_option("--compare", options->compared,
                   "Two files that --json wrote, beside each other; times nothing")
      ->expected(2)
      ->check(CLI::ExistingFile);
  verb->add_option("-r,--repeats", options->measure.repeats, "Samples of every case")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_train_options(*verb, *options);
  verb->add_option("--pictures", options->decode.pictures,
                   "Folder of pictures to decode, in place of augmentation")
      ->group("Options of bench data");
  verb->add_option("--image-size", options->decode.size, "Pixels a side of a decoded picture")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str()
      ->group("Options of bench data");
  verb->add_option("--map-of", options->map_of,
                   "Features (.npy) to map by t-SNE, in place of the other cases")
      ->group("Options of bench discover");
  verb->add_option("--run", options->predict_run,
                   "Run of `train` whose model labels pictures, --batch at a time")
      ->group("Options of bench predict");
  verb->add_flag("--profile", options->profile, "Also tell the device time of every kernel");
  define_verb(*verb, options->common, action, [options] { return run(*options); });
  verb->footer(
      "--device A,B or all times several devices, one after the other, and then compares them.\n"
      "Example: opencd_sycl bench ops --device cpu --json > ops.json");
}

}  // namespace opencd::cli
