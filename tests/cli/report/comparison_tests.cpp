#include "cli/report/comparison.hpp"

#include "cli/report/run_files.hpp"
#include "support/message.hpp"

namespace opencd::test {

using namespace cli::report;

TEST_SUITE_BEGIN("cli/report/comparison");

TEST_CASE("runs that differ by seed and place alone are one configuration") {
  const TemporaryFolder folder;
  const std::string tau = R"("tau": {"value": 0.2, "source": "flag"}, )";
  std::vector<RunRecord> runs;
  for (const std::string& path :
       {write_run(folder, "one", 1, 0.8), write_run(folder, "two", 2, 0.6),
        write_run(folder, "three", 1, 0.5, tau)})
    runs.push_back(read_run_record(path));
  const std::vector<Configuration> list = configurations(runs);
  REQUIRE_EQ(list.size(), 2);
  CHECK_EQ(list[0].runs, std::vector<std::size_t>{0, 1});
  CHECK_EQ(list[1].name, "B");
  CHECK_EQ(differing_settings(list), std::vector<std::string>{"tau"});
  const std::string html = to_html(comparison_page(runs));
  CHECK_CONTAINS(html, "70.0 ± 14.1");
  CHECK_CONTAINS(html, ">50.0<");
  CHECK_CONTAINS(html, "A two");
}

TEST_CASE(
    "configurations are called as their runs are, without the seed, if that tells them apart") {
  const TemporaryFolder folder;
  std::vector<RunRecord> runs;
  for (const std::string& path :
       {write_run(folder, "opencd-1", 1), write_run(folder, "opencd-2", 2),
        write_run(folder, "orca-1", 1, 0.5, "", "orca")})
    runs.push_back(read_run_record(path));
  const auto names = [&] {
    std::vector<std::string> result;
    for (const Configuration& configuration : configurations(runs))
      result.push_back(configuration.name);
    return result;
  };
  CHECK_EQ(names(), std::vector<std::string>{"opencd", "orca"});
  CHECK_CONTAINS(to_html(comparison_page(runs)), ">opencd-2");
  runs[2].name = "opencd-1";
  CHECK_EQ(names(), std::vector<std::string>{"A", "B"});
  runs[2].name = "-1";
  CHECK_EQ(names(), std::vector<std::string>{"A", "B"});
}

TEST_CASE("equal runs and runs without scores can be compared") {
  const TemporaryFolder folder;
  std::vector<RunRecord> runs = {read_run_record(write_run(folder, "one", 1)),
                                 read_run_record(write_run(folder, "two", 2))};
  runs[1].summary.reset();
  runs[1].metrics.clear();
  const std::string html = to_html(comparison_page(runs));
  CHECK_CONTAINS(html, "differ in nothing but their seeds");
  CHECK_CONTAINS(html, ">80.0<");  // of one run, without a deviation
  CHECK_CONTAINS(html, ">–<");
  CHECK_FALSE(contains(html, "nan"));
}

TEST_SUITE_END();

}  // namespace opencd::test
