#include "opencd/methods/open_ncd_defaults.hpp"

#include "opencd/methods/open_ncd_config.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

OpenNcdConfig config_of(const MethodTask& task, const Json& given = Json::object()) {
  Json options = open_ncd_defaults(task, given);
  options.update(given);
  return open_ncd_config(options);
}

}  // namespace

TEST_SUITE_BEGIN("opencd/open_ncd_defaults");

// docs/METHOD.md quotes the authors' settings.
TEST_CASE("CIFAR-10 and CIFAR-100 have what the authors' program has for them") {
  for (const std::size_t classes : {0, 10}) {
    const OpenNcdConfig cifar10 = config_of({.known = 5, .classes = classes, .epochs = 150});
    CHECK_EQ(cifar10.prototypes, 50);
    CHECK_EQ(cifar10.kappa, 3);
    CHECK_EQ(cifar10.mix, 1.0);
    CHECK_EQ(cifar10.range.first, 12.0);
    CHECK_EQ(cifar10.range.last, 2.0);
    CHECK_EQ(cifar10.range.steps, 64);
    CHECK_EQ(cifar10.warm_epochs, 5);
    CHECK_EQ(cifar10.grouping_epochs, 70);
  }
  const OpenNcdConfig cifar100 = config_of({.known = 50, .classes = 100, .epochs = 150});
  CHECK_EQ(cifar100.prototypes, 500);
  CHECK_EQ(cifar100.kappa, 10);
  CHECK_EQ(cifar100.mix, 0.9);
  CHECK_EQ(cifar100.range.last, 6.0);
}

TEST_CASE("the defaults of the settings are the authors' for CIFAR-10 too") {
  const Json all = to_json(OpenNcdConfig{});
  const Json defaults = open_ncd_defaults({.known = 5, .epochs = 150}, Json::object());
  for (const auto& [key, value] : defaults.items()) {
    CAPTURE(key);
    CHECK_EQ(all.at(key), value);
  }
}

TEST_CASE("there are prototypes for every class that is told, up to a thousand") {
  CHECK_EQ(config_of({.known = 9, .classes = 10, .epochs = 9}).prototypes, 50);
  CHECK_EQ(config_of({.known = 5, .classes = 60, .epochs = 9}).prototypes, 300);
  CHECK_EQ(config_of({.known = 20, .epochs = 9}).prototypes, 200);
  CHECK_EQ(config_of({.known = 800, .classes = 900, .epochs = 9}).prototypes, 1000);
}

TEST_CASE("stages fit into any number of epochs, with two groupings where there is time") {
  for (const std::int64_t epochs : {1, 2, 3, 4, 10, 30, 149, 300}) {
    CAPTURE(epochs);
    const OpenNcdConfig config = config_of({.known = 5, .epochs = epochs});
    CHECK_LT(config.warm_epochs, epochs);
    CHECK_GT(config.grouping_epochs, config.warm_epochs);
    CHECK_LE(config.grouping_epochs, epochs);
    if (epochs > 3) CHECK_GE(config.grouping_epochs - config.warm_epochs, 2);
    CHECK_GE(config.range.steps, 1);
    CHECK_LE(config.warm_epochs + config.range.steps, epochs + 1);
  }
}

TEST_CASE("every search has a range that it can take") {
  for (const char* search : {"louvain", "threshold", "affinity-propagation"})
    for (const char* affinity : {"overlap", "jaccard"})
      for (const char* key : {"search", "grouping"}) {
        CAPTURE(search);
        const OpenNcdConfig config =
            config_of({.known = 5, .epochs = 150}, {{key, search}, {"affinity", affinity}});
        CHECK_EQ(name_of(config.searched()), search);
        CHECK_NOTHROW(check_range(config.searched(), config.range));
      }
}

TEST_CASE(
    "groups that are made to the end are made once after it, and the search reaches its last "
    "step") {
  const OpenNcdConfig config =
      config_of({.known = 5, .epochs = 30}, {{"warm-epochs", 1}, {"grouping-epochs", 1'000'000}});
  CHECK(regroups(config, 30));
  CHECK_EQ(config.range.steps, 29);
  CHECK_FALSE(regroups(config_of({.known = 5, .epochs = 30}), 30));
}

TEST_CASE("what is ours is opencd+'s alone") {
  const MethodTask task{.known = 5, .epochs = 150};
  const OpenNcdConfig theirs = open_ncd_config(open_ncd_defaults(task, Json::object()));
  CHECK_EQ(theirs.count_rule, CountRule::progressive);
  CHECK_EQ(theirs.grouping_sets, 1);
  CHECK_FALSE(theirs.grouping_labels);
  CHECK_FALSE(theirs.drop_dead);
  CHECK_FALSE(theirs.warm_head_only);
  CHECK(theirs.python_louvain);
  const OpenNcdConfig ours = open_ncd_plus_config(open_ncd_plus_defaults(task, Json::object()));
  CHECK_EQ(ours.count_rule, CountRule::hidden_classes);
  CHECK_EQ(ours.grouping_sets, 9);
  CHECK(ours.grouping_labels);
  CHECK(ours.drop_dead);
  CHECK(ours.warm_head_only);
  CHECK(ours.ce_while_grouping);
}

TEST_SUITE_END();

}  // namespace opencd::test
