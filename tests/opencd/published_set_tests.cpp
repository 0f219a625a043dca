// The values that the authors of RankStats, DTC and FixMatch published for CIFAR-10 and for CIFAR-100, and
// when which of them hold.
#include "opencd/methods/published_set.hpp"

#include "error.hpp"
#include "opencd/methods/dtc.hpp"
#include "opencd/methods/fixmatch.hpp"
#include "opencd/methods/rank_stats.hpp"
#include "opencd/methods/registry.hpp"
#include "support/small_training.hpp"

#include <cmath>
#include <numeric>

namespace opencd::test {

namespace {

const Json kNone = Json::object();

std::vector<float> rows_of(Training& training, const std::string& name) {
  for (const RowMemory& memory : training.trainer.method().row_memory())
    if (memory.name == name)
      return kernels::to_host(test_device(), View<const float>(memory.values.flat()));
  return {};
}

/// The epochs that begin with other values of a row memory than the one before ended with.
std::vector<int> epochs_that_change(const std::string& name, const MethodCase& choice) {
  Training training(small_set(), choice);
  std::vector<int> epochs;
  std::vector<float> before = rows_of(training, name);
  for (int epoch = 0; epoch < choice.epochs; ++epoch) {
    training.trainer.begin_epoch_if_due();
    const std::vector<float> now = rows_of(training, name);
    if (now != before) epochs.push_back(epoch);
    before = now;
    training.run(training.trainer.steps().of(static_cast<std::size_t>(epoch)));
    CHECK(rows_of(training, name) == before);
  }
  return epochs;
}

}  // namespace

TEST_SUITE("opencd/published_set") {
  TEST_CASE(
      "CIFAR-10's values hold up to 10 known classes, CIFAR-100's above, unless one is named") {
    for (const std::size_t known : {1, 5, 10})
      CHECK(published_set(kNone, known) == PublishedSet::cifar10);
    for (const std::size_t known : {11, 50, 80})
      CHECK(published_set({{"values-of", "auto"}}, known) == PublishedSet::cifar100);
    CHECK(published_set({{"values-of", "cifar100"}}, 5) == PublishedSet::cifar100);
    CHECK(published_set({{"values-of", "cifar10"}}, 50) == PublishedSet::cifar10);
    CHECK_THROWS_AS(published_set({{"values-of", "svhn"}}, 5), UsageError);
  }

  TEST_CASE("RankStats: consistency rises to 5 over 50 of 200 epochs, or to 50 over 150") {
    const RankStatsConfig few = rank_stats_config(kNone, 5);
    CHECK_EQ(few.consistency, 5.0);
    CHECK_EQ(few.rise_share * 200, 50.0);
    const RankStatsConfig many = rank_stats_config(kNone, 50);
    CHECK_EQ(many.consistency, 50.0);
    CHECK_EQ(many.rise_share * 200, 150.0);
    const Json own = {{"consistency-weight", 7.0}, {"rise-share", 0.5}};
    for (const std::size_t known : {5, 50}) {
      CHECK_EQ(rank_stats_config(own, known).consistency, 7.0);
      CHECK_EQ(rank_stats_config(own, known).rise_share, 0.5);
    }
  }

  TEST_CASE("DTC: 180 + 10 + 100 epochs and targets every 5, or 180 + 30 + 100 and every 10") {
    const struct {
      std::size_t known;
      std::int64_t epochs, warm, refresh;
      std::vector<double> milestones;
      double pi_decay;
    } cases[] = {{5, 290, 10, 5, {190}, 1e-4}, {50, 310, 30, 10, {210, 230, 250, 270, 290}, 1e-5}};
    for (const auto& [known, epochs, warm, refresh, milestones, pi_decay] : cases) {
      CAPTURE(known);
      const DtcConfig config = dtc_config(kNone, known);
      const Recipe recipe = dtc_recipe(kNone, known);
      CHECK_EQ(recipe.epochs, epochs);
      CHECK_EQ(tuning_epochs(config.tuning_share, epochs), 180);
      CHECK_EQ(std::lround(config.warm_share * static_cast<double>(epochs - 180)), warm);
      CHECK_EQ(std::lround(config.refresh_share * 100), refresh);
      CHECK_EQ(recipe.schedule.milestones, milestones);
      CHECK_EQ(recipe.schedule.gamma, 0.5);
      CHECK_EQ(recipe.optimizer.weight_decay, pi_decay);
      CHECK_EQ(dtc_recipe({{"dtc-variant", "tep"}}, known).optimizer.weight_decay, 1e-5);
      CHECK_EQ(dtc_config({{"warm-share", 0.3}, {"refresh-share", 0.2}}, known).warm_share, 0.3);
    }
  }

  TEST_CASE("FixMatch: weight decay 0.0005, or 0.001") {
    CHECK_EQ(method_recipe("fixmatch", kNone, 5).optimizer.weight_decay, 5e-4);
    CHECK_EQ(method_recipe("fixmatch", kNone, 50).optimizer.weight_decay, 1e-3);
    CHECK_EQ(method_recipe("fixmatch", {{"values-of", "cifar10"}}, 50).optimizer.weight_decay,
             5e-4);
  }

  TEST_CASE("values that cannot be are refused with the option's name") {
    CHECK_THROWS_WITH_AS(dtc_config({{"warm-share", 1.5}}, 5),
                         "[method] expected --warm-share from 0 to 1, got 1.5", UsageError);
    CHECK_THROWS_AS(dtc_config({{"refresh-share", -0.5}}, 5), UsageError);
    CHECK_THROWS_AS(rank_stats_config({{"consistency-weight", 1e4}}, 5), UsageError);
  }

  TEST_CASE(
      "DTC makes targets after the warm-up and after epochs 0, 5, 10, and averages every epoch") {
    // 2 epochs of warm-up and 20 behind it, a quarter of which is 5.
    const Json shares = {{"tuning-share", 0.0}, {"refresh-share", 0.25}};
    for (const char* variant : {"pi", "tep"}) {
      CAPTURE(variant);
      MethodCase choice{"dtc", shares, 22};
      choice.options["dtc-variant"] = variant;
      CHECK_EQ(epochs_that_change("targets", choice), std::vector<int>{0, 2, 3, 8, 13, 18});
    }
    std::vector<int> all_behind(19);
    std::iota(all_behind.begin(), all_behind.end(), 3);
    MethodCase averages{"dtc", shares, 22};
    averages.options["dtc-variant"] = "tep";
    CHECK_EQ(epochs_that_change("averages", averages), all_behind);
  }
}

}  // namespace opencd::test
