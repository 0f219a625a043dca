// Whole steps of OpenNCD above the encoder against PyTorch (tests/golden/make_open_ncd.py), and against
// the authors' own loss (make_authors.py).
#include "opencd/methods/open_ncd.hpp"

#include "error.hpp"
#include "files/safetensors.hpp"
#include "nn/layers.hpp"
#include "nn/optimizer.hpp"
#include "opencd/methods/open_ncd_defaults.hpp"
#include "support/compare.hpp"
#include "support/message.hpp"
#include "support/planted_features.hpp"
#include "support/test_data.hpp"

#include <algorithm>

namespace opencd::test {

namespace {

constexpr int kSteps = 3;
constexpr double kLearningRate = 2e-3;
const std::vector<std::string> kForms = {"authors", "code", "paper", "balanced", "shares"};

/// A method that starts where the golden file does.
struct Start {
  Start(const std::string& form)
      : file(golden((form == "authors" ? "authors/open_ncd_" : "losses/open_ncd_") + form +
                    ".safetensors")),
        model(test_engine()),
        method({.model = model,
                .features = 20,
                .batch = 24,
                .known = 3,
                .classes = 6,
                .seed = 1,
                .rows = 400,
                .labelled = 30},
               config(form)) {
    model.allocate();
    nn::initialise(model.parameters(), 1);
    method.allocate();
    for (const nn::Parameter& parameter : model.parameters().all())
      if (parameter.role == nn::Role::trained)
        model.parameters().write(parameter, file.read_f32("start." + parameter.name));
    method.restore({{"group_of", file.read<std::int32_t>("group_of")},
                    {"groups", 6},
                    {"classes_found", 6},
                    {"classes_interval", {6, 6}},
                    {"labelled_accuracy", 1.0}});
    labels = kernels::to_device(test_device(), file.read<std::int32_t>("labels"));
    for (std::size_t v = 0; v < 2; ++v) {
      features[v] = kernels::to_device(test_device(), file.read_f32(fmt::format("features.{}", v)));
      diffs[v] = kernels::Buffer<float>(test_device(), features[v].size());
    }
  }

  static OpenNcdConfig config(const std::string& form) {
    OpenNcdConfig config;
    config.prototypes = 15;
    config.dimensions = 8;
    config.warm_epochs = 0;
    config.balanced_targets = form == "balanced";
    if (form == "shares") config.labelled_share = 0.25;
    if (form == "paper") {
      config.form = kernels::LossForm::paper;
      config.lambda_reg = 1.0;
    }
    return config;
  }

  void step(std::uint32_t number) {
    method.step({.features = {features[0].rows(24, 20), features[1].rows(24, 20)},
                 .diff_features = {diffs[0].rows(24, 20), diffs[1].rows(24, 20)},
                 .labels = labels,
                 .epoch = 0,
                 .step = number});
  }

  files::SafetensorsFile file;
  nn::Model model;
  OpenNcd method;
  kernels::Buffer<std::int32_t> labels;
  std::array<kernels::Buffer<float>, 2> features, diffs;
};

}  // namespace

TEST_SUITE("opencd/open_ncd") {
  TEST_CASE("losses and gradients of a step repeat PyTorch") {
    for (const std::string& form : kForms) {
      CAPTURE(form);
      Start start(form);
      start.step(0);
      const std::vector<float> terms = start.file.read_f32("terms");
      const auto losses = start.method.losses();
      const std::vector<double> actual{losses[1].second, losses[2].second, losses[3].second,
                                       losses[4].second, losses[0].second};
      CHECK_CLOSE(actual, terms, .rtol = 1e-4, .atol = 1e-6);
      for (std::size_t v = 0; v < 2; ++v) {
        const auto expected = start.file.read_f32(fmt::format("diff.{}", v));
        CHECK_EQ(difference(kernels::to_host(test_device(), start.diffs[v]), expected,
                            within(expected, 1e-4)),
                 "");
      }
      for (const nn::Parameter& parameter : start.model.parameters().all()) {
        if (parameter.role != nn::Role::trained) continue;
        // A bias before batch norm has no gradient but rounding.
        if (parameter.name == "head.0.bias") continue;
        CAPTURE(parameter.name);
        const auto expected = start.file.read_f32("grad." + parameter.name);
        CHECK_EQ(difference(start.model.parameters().read_grad(parameter), expected,
                            within(expected, 1e-4)),
                 "");
      }
    }
  }

  TEST_CASE("parameters after three steps of Adam repeat PyTorch") {
    for (const std::string& form : kForms) {
      CAPTURE(form);
      Start start(form);
      nn::Optimizer optimizer(start.model, {});
      for (std::uint32_t i = 0; i < kSteps; ++i) {
        start.step(i);
        optimizer.step(kLearningRate);
      }
      for (const nn::Parameter& parameter : start.model.parameters().all()) {
        if (parameter.role != nn::Role::trained || parameter.name == "head.0.bias") continue;
        CAPTURE(parameter.name);
        const auto expected = start.file.read_f32("after." + parameter.name);
        CHECK_EQ(
            difference(start.model.parameters().read(parameter), expected, within(expected, 1e-4)),
            "");
      }
    }
  }

  TEST_CASE("groups survive a checkpoint, and broken ones are refused") {
    Start start("code");
    const Json state = start.method.state();
    start.method.restore(state);
    CHECK(start.method.state() == state);
    Json wrong = state;
    wrong["group_of"][3] = 6;
    CHECK_THROWS_AS(start.method.restore(wrong), FormatError);
    wrong = state;
    wrong["group_of"].erase(0);
    CHECK_THROWS_AS(start.method.restore(wrong), FormatError);
    wrong = state;
    wrong.erase("groups");
    CHECK_THROWS_AS(start.method.restore(wrong), FormatError);
    CHECK(start.method.state() == state);
  }

  TEST_CASE("settings that cannot work are refused") {
    nn::Model model(test_engine());
    const MethodContext context{
        .model = model, .features = 16, .batch = 8, .known = 4, .classes = 12, .seed = 1};
    OpenNcdConfig config;
    config.prototypes = 11;
    CHECK_THROWS_AS(OpenNcd(context, config), UsageError);
    config.prototypes = 20;
    config.kappa = 0;
    CHECK_THROWS_AS(OpenNcd(context, config), UsageError);
    config.kappa = 3;
    config.temperature = 0.0;
    CHECK_THROWS_AS(OpenNcd(context, config), UsageError);
    config.temperature = 0.1;
    config.grouping = GroupingChoice::threshold;  // with Louvain's range
    CHECK_CONTAINS(message_of<UsageError>([&] { OpenNcd(context, config); }), "--search-first");
    MethodContext unknown = context;
    unknown.classes = 0;
    config.grouping = GroupingChoice::spectral;
    CHECK_CONTAINS(message_of<UsageError>([&] { OpenNcd(unknown, config); }), "--classes N");
  }

  TEST_CASE("the number of classes is found once, before labels have been learned from") {
    const PlantedFeatures of_six = planted({.classes = 6, .rows = 1500, .spread = 0.3});
    const PlantedFeatures of_twelve = planted({.classes = 12, .rows = 1500, .spread = 0.3});
    // In features that mean something it is found before the first epoch, else by the first grouping.
    for (const bool pretrained : {true, false}) {
      TrainingFeaturesOf few(of_six, pretrained);
      TrainingFeaturesOf many(of_twelve, pretrained);
      nn::Model model(test_engine());
      OpenNcd method({.model = model, .features = 24, .batch = 24, .known = 3, .seed = 1},
                     open_ncd_plus_config({{"warm-epochs", 1},
                                           {"count-rule", "hidden-classes"},
                                           {"drop-dead-prototypes", true}}));
      model.allocate();
      nn::initialise(model.parameters(), 1);
      method.allocate();
      method.begin_epoch(0, few);
      CHECK_EQ(method.state()["counted"].is_null(), !pretrained);
      method.restore(method.state());
      method.begin_epoch(1, pretrained ? many : few);
      const GroupCount first = method.groups();
      CHECK_LT(first.found, 9);
      method.begin_epoch(2, many);
      CHECK_EQ(method.groups().found, first.found);
      CHECK_EQ(method.groups().high, first.high);
      Json wrong = method.state();
      wrong["counted"] = {51, 51, 51};
      CHECK_THROWS_AS(method.restore(wrong), FormatError);
    }
  }

  TEST_CASE("one more candidate is open at every grouping, and groups become fewer") {
    const PlantedFeatures of_six = planted({.classes = 6, .rows = 1500, .spread = 0.2});
    TrainingFeaturesOf features(of_six);
    for (const std::string search : {"louvain", "threshold"}) {
      CAPTURE(search);
      Json options = {{"warm-epochs", 1}, {"grouping-epochs", 9}, {"search", search}};
      options.update(open_ncd_defaults({.known = 3, .epochs = 9}, options));
      nn::Model model(test_engine());
      OpenNcd method(
          {.model = model, .features = 24, .batch = 24, .known = 3, .seed = 1, .epochs = 9},
          open_ncd_config(options));
      model.allocate();
      nn::initialise(model.parameters(), 1);
      method.allocate();
      std::vector<std::size_t> groups;
      for (std::uint32_t epoch = 0; epoch < 9; ++epoch) {
        method.begin_epoch(epoch, features);
        groups.push_back(method.groups().found);
      }
      CHECK_EQ(groups[0], 50);
      // Linked at 0.99 or at 0.5, the few prototypes that have rows here make the same groups.
      CHECK_LE(groups.back(), groups[1]);
      CHECK_LT(groups.back(), search == "louvain" ? groups[1] : 50);
      CHECK_GE(groups.back(), 3);
    }
  }

  TEST_CASE("groups that are made to the end are made after the last epoch too") {
    const PlantedFeatures of_six = planted({.classes = 6, .rows = 1500, .spread = 0.2});
    TrainingFeaturesOf features(of_six);
    for (const std::int64_t until : {2, 1'000'000}) {
      nn::Model model(test_engine());
      OpenNcd method({.model = model,
                      .features = 24,
                      .batch = 24,
                      .known = 3,
                      .classes = 6,
                      .seed = 1,
                      .epochs = 2},
                     open_ncd_config({{"warm-epochs", 2}, {"grouping-epochs", until}}));
      model.allocate();
      nn::initialise(model.parameters(), 1);
      method.allocate();
      method.finish(features);
      CHECK_EQ(method.groups().found, until == 2 ? 50 : 6);
    }
  }

  TEST_CASE("without labels every grouping finds a number of its own") {
    PlantedFeatures of_six = planted({.classes = 6, .rows = 1500, .spread = 0.2});
    PlantedFeatures of_twelve = planted({.classes = 12, .rows = 1500, .spread = 0.2});
    for (PlantedFeatures* features : {&of_six, &of_twelve})
      std::fill(features->labels.begin(), features->labels.end(), -1);
    TrainingFeaturesOf few(of_six);
    TrainingFeaturesOf many(of_twelve);
    nn::Model model(test_engine());
    OpenNcd method({.model = model, .features = 24, .batch = 24, .known = 0, .seed = 1},
                   open_ncd_plus_config({{"warm-epochs", 1}, {"count-rule", "hidden-classes"}}));
    model.allocate();
    nn::initialise(model.parameters(), 1);
    method.allocate();
    method.begin_epoch(0, few);
    method.begin_epoch(1, few);
    const std::size_t first = method.groups().found;
    method.begin_epoch(2, many);
    CHECK_LT(first, method.groups().found);
    CHECK(method.state()["counted"].is_null());
  }
}

}  // namespace opencd::test
