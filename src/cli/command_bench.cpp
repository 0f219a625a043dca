// `bench`: timings with a correctness check, as a table or as JSON.
#include "bench/data.hpp"
#include "bench/discover.hpp"
#include "bench/ops.hpp"
#include "bench/train.hpp"
#include "cli/commands.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/version.hpp"
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
  std::string suite;
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

std::string number(double value) {
  return value >= 100.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string describe(const bench::Json& params) {
  std::string text;
  for (const auto& [key, value] : params.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value.dump());
  return text;
}

void print_results(const std::vector<bench::Result>& results) {
  std::vector<std::vector<std::string>> rows;
  for (const bench::Result& result : results) {
    const bool timed = !result.samples_ms.empty();
    const auto [low, high] =
        std::minmax_element(result.samples_ms.begin(), result.samples_ms.end());
    rows.push_back(
        {result.name, describe(result.params), timed ? number(result.median_ms) : "-",
         timed ? number(*low) + ".." + number(*high) : "-", timed ? number(result.rate) : "-",
         result.unit,
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
    rows.push_back({time.name, fmt::format("{}", time.launches), number(time.milliseconds)});
  print_line("");
  print_table({"kernel", "launches", "device ms"}, rows);
}

std::vector<bench::Result> run_suite(const BenchOptions& options, const nn::Engine& engine) {
  if (options.suite == "data")
    return bench::run_data_suite(engine.device(), options.decode, options.measure);
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

int run(const BenchOptions& options) {
  const auto opened = open_device(options.common, options.profile);
  kernels::Device& device = *opened;
  const nn::Engine engine(device);
  const std::vector<bench::Result> results = run_suite(options, engine);
  if (options.common.json) {
    bench::Json record = bench::to_json(options.suite, device.info(), results);
    record["version"] = program_version();
    record["libraries"] = {sycl_version(), nn::onednn_version(), nn::onemkl_version()};
    record["utc_seconds"] = std::chrono::duration_cast<std::chrono::seconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count();
    if (options.profile) record["profile"] = profile_json(device);
    print_json(record);
  } else {
    print_results(results);
    if (options.profile) print_profile(device);
  }
  const bool passed = std::all_of(results.begin(), results.end(),
                                  [](const bench::Result& r) { return r.check == "passed"; });
  return passed ? 0 : 1;
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
  verb->add_option("suite", options->suite, "What to time: ops | data | train | discover")
      ->required()
      ->check(CLI::IsMember({"ops", "data", "train", "discover"}));
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
  verb->add_flag("--profile", options->profile, "Also tell the device time of every kernel");
  define_verb(*verb, options->common, action, [options] { return run(*options); });
  verb->footer("Example: opencd_sycl bench ops --device cpu --json > ops.json");
}

}  // namespace opencd::cli
