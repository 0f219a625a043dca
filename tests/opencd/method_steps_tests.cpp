// One step of every method above the encoder against PyTorch (tests/golden/make_methods.py).
#include "opencd/methods/registry.hpp"

#include "files/safetensors.hpp"
#include "nn/layers.hpp"
#include "support/compare.hpp"
#include "support/message.hpp"
#include "support/test_data.hpp"

#include <algorithm>
#include <numeric>

namespace opencd::test {

namespace {

constexpr std::size_t kRows = 20;
constexpr std::size_t kFeatures = 12;

struct GoldenStep {
  std::string method;
  Json options;
  Json state;              // that the step starts from
  std::string stage = "";  // of the file's name
  std::uint32_t epoch = 5;
};

std::vector<GoldenStep> golden_steps() {
  const Json matched = {{"group_of", {0, 1, 2, 3, 4, 5}}, {"groups", 6}};
  const Json sure = {{"groups", 6}, {"threshold", 0.0}, {"novel_centres", 0}};
  const Json none = Json::object();
  return {{"orca", none, {{"uncertainty", 0.3}}},
          {"gcd", none, {{"groups", 0}, {"inertia", 0.0}}},
          {"rankstats", none, matched},
          {"rankstats", none, matched, "_tuning", 0},
          {"dtc", {{"dtc-variant", "pi"}, {"tuning-share", 0.0}}, matched},
          {"dtc", none, matched, "_tuning", 0},
          {"fixmatch", {{"pseudo-threshold", 0.6}}, sure},
          {"ds3l", none, sure}};
}

/// A method that starts where its golden file does, and has made one step.
struct Step {
  explicit Step(const GoldenStep& from)
      : file(golden("losses/step_" + from.method + from.stage + ".safetensors")),
        model(test_engine()),
        method(make_method(from.method,
                           {.model = model,
                            .features = kFeatures,
                            .batch = kRows,
                            .known = 3,
                            .classes = 6,
                            .seed = 1,
                            .epochs = 12,
                            .rows = kRows},
                           from.options)) {
    model.allocate();
    method->allocate();
    for (const nn::Parameter& parameter : model.parameters().all())
      if (parameter.role == nn::Role::trained)
        model.parameters().write(parameter, file.read_f32("start." + parameter.name));
    for (const RowMemory& memory : method->row_memory())
      kernels::copy_to_device<float>(test_device(), file.read_f32("rows." + memory.name),
                                     memory.values.flat());
    method->restore(from.state);
    run(from.epoch);
  }

  void run(std::uint32_t epoch) {
    const auto labels = kernels::to_device(test_device(), file.read<std::int32_t>("labels"));
    std::vector<std::int32_t> numbers(kRows);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto rows = kernels::to_device(test_device(), numbers);
    std::array<kernels::Buffer<float>, 2> features;
    for (std::size_t v = 0; v < 2; ++v) {
      features[v] = kernels::to_device(test_device(), file.read_f32(fmt::format("features.{}", v)));
      diffs[v] = kernels::Buffer<float>(test_device(), features[v].size());
    }
    const auto matrix = [](const kernels::Buffer<float>& buffer) {
      return buffer.rows(kRows, kFeatures);
    };
    method->step({.features = {matrix(features[0]), matrix(features[1])},
                  .diff_features = {matrix(diffs[0]), matrix(diffs[1])},
                  .labels = labels,
                  .rows = rows,
                  .epoch = epoch,
                  .step = 0,
                  .progress = 0.4});
    losses = method->losses();
  }

  files::SafetensorsFile file;
  nn::Model model;
  std::unique_ptr<Method> method;
  std::array<kernels::Buffer<float>, 2> diffs;
  std::vector<std::pair<std::string, double>> losses;
};

void try_method(const std::string& method,
                const Json& options,
                std::size_t known,
                std::size_t classes) {
  nn::Model model(test_engine());
  make_method(
      method,
      {.model = model, .features = kFeatures, .batch = kRows, .known = known, .classes = classes},
      options);
}

}  // namespace

TEST_SUITE("opencd/method_steps") {
  TEST_CASE("losses and gradients of a step repeat PyTorch, for every method") {
    for (const GoldenStep& golden_step : golden_steps()) {
      CAPTURE(golden_step.method);
      const Step step(golden_step);
      std::vector<double> losses;
      for (const auto& [name, value] : step.losses) losses.push_back(value);
      CHECK_CLOSE(losses, step.file.read_f32("terms"), .rtol = 1e-4, .atol = 1e-6);
      for (std::size_t v = 0; v < 2; ++v) {
        CAPTURE(v);
        const auto expected = step.file.read_f32(fmt::format("diff.{}", v));
        CHECK_EQ(difference(kernels::to_host(test_device(), step.diffs[v]), expected,
                            within(expected, 1e-4)),
                 "");
      }
      for (const nn::Parameter& parameter : step.model.parameters().all()) {
        if (parameter.role != nn::Role::trained) continue;
        CAPTURE(parameter.name);
        const auto expected = step.file.read_f32("grad." + parameter.name);
        CHECK_EQ(difference(step.model.parameters().read_grad(parameter), expected,
                            within(expected, 1e-4)),
                 "");
      }
    }
  }

  TEST_CASE("a state that does not fit is refused, for every method") {
    for (const GoldenStep& golden_step : golden_steps()) {
      CAPTURE(golden_step.method);
      Step step(golden_step);
      CHECK_THROWS_AS(step.method->restore(Json::object()), FormatError);
      const Json state = step.method->state();
      step.method->restore(state);
      CHECK(step.method->state() == state);
    }
  }

  TEST_CASE("a number of classes that cannot work is refused, for every method") {
    for (const GoldenStep& golden_step : golden_steps()) {
      const auto& [method, options] = std::tie(golden_step.method, golden_step.options);
      CAPTURE(method);
      CHECK_THROWS_AS(try_method(method, options, 3, 2), UsageError);
      if (method == "gcd")
        CHECK_NOTHROW(try_method(method, options, 3, 0));  // it counts
      else
        CHECK_THROWS_AS(try_method(method, options, 3, 0), UsageError);
    }
    for (const char* method : {"rankstats", "dtc", "fixmatch", "ds3l"})
      CHECK_THROWS_AS(try_method(method, Json::object(), 0, 6), UsageError);
    CHECK_THROWS_AS(try_method("gcd", Json::object(), 0, 0), UsageError);
  }

  TEST_CASE("options that cannot work are refused by name") {
    const struct {
      const char* method;
      const char* option;
      Json value;
    } cases[] = {{"orca", "grouping-rows", -1},     {"gcd", "sup-weight", 1.5},
                 {"gcd", "most-classes", -1},       {"gcd", "most-classes", 2},
                 {"dtc", "dtc-variant", "other"},   {"fixmatch", "pseudo-threshold", 1.5},
                 {"dtc", "tuning-share", 1.5},      {"rankstats", "tuning-share", -0.5},
                 {"fixmatch", "novel-share", -0.5}, {"ds3l", "novel-share", 1.5}};
    for (const auto& [method, option, value] : cases) {
      const std::size_t classes = std::string(method) == "gcd" ? 0 : 6;
      const std::string message =
          message_of<UsageError>([&, method = method, option = option, &value = value] {
            try_method(method, {{option, value}}, 3, classes);
          });
      CHECK_CONTAINS(message, option);
    }
    CHECK_THROWS_AS(try_method("gcd", {{"sup-weight", "much"}}, 3, 6), UsageError);
  }
}

}  // namespace opencd::test
