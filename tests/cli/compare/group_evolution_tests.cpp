#include "cli/compare/group_evolution.hpp"

#include "support/message.hpp"

namespace opencd::test {

namespace {

using cli::report::Json;
using cli::report::RunRecord;

RunRecord run_of(const std::string& name,
                 int seed,
                 const std::string& classes,
                 const std::vector<double>& groups) {
  RunRecord run{.name = name};
  run.arguments["settings"] = {{"seed", {{"value", seed}}}, {"classes", {{"value", classes}}}};
  for (std::size_t epoch = 0; epoch < groups.size(); ++epoch)
    run.metrics.push_back({.step = static_cast<std::int64_t>(10 * epoch),
                           .epoch = static_cast<std::int64_t>(epoch),
                           .values = {{"train/groups", groups[epoch]}}});
  return run;
}

}  // namespace

TEST_SUITE_BEGIN("cli/compare/group_evolution");

TEST_CASE("seeds of one method are lines of one figure; runs that were told the number are none") {
  const auto evolutions = cli::group_evolutions(
      {run_of("opencd-paper-0", 0, "auto", {50, 30, 10}),
       run_of("opencd-auto-0", 0, "auto", {50, 9}),
       run_of("opencd-paper-10", 10, "auto", {50, 28, 11}), run_of("told-0", 0, "10", {50, 10}),
       run_of("simclr-kmeans-0", 0, "auto", {})});
  REQUIRE_EQ(evolutions.size(), 2);
  CHECK_EQ(evolutions[0].name, "opencd-paper");
  REQUIRE_EQ(evolutions[0].seeds.size(), 2);
  CHECK_EQ(evolutions[0].seeds[1].seed, "10");
  CHECK_EQ(cli::to_csv(evolutions),
           "method,seed,epoch,groups\n"
           "opencd-paper,0,0,50\nopencd-paper,0,1,30\nopencd-paper,0,2,10\n"
           "opencd-paper,10,0,50\nopencd-paper,10,1,28\nopencd-paper,10,2,11\n"
           "opencd-auto,0,0,50\nopencd-auto,0,1,9\n");
  const std::string html = cli::evolution_charts(evolutions).html();
  CHECK_EQ(count_of(html, "<svg"), 2);
  CHECK_EQ(count_of(html, "class=\"line\""), 3);
  CHECK_CONTAINS(html, "seed 10: 28 at epoch 1");
}

TEST_SUITE_END();

}  // namespace opencd::test
