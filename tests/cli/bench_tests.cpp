// `bench predict`, `bench --device A,B` and `bench --compare` as a user runs them.
#include "cli/tiny_run.hpp"
#include "support/message.hpp"

#include <fstream>

namespace opencd::test {

using Json = nlohmann::json;

namespace {

ProcessResult bench_predict(const std::string& device) {
  return opencd({"bench", "predict", "--run", tiny_run().path(), "--batch", "16", "-r", "2",
                 "--device", device, "--json", "--quiet"});
}

}  // namespace

TEST_SUITE_BEGIN("cli/bench");

TEST_CASE("two records of a trained model's speed lie beside each other") {
  const TemporaryFolder folder;
  for (const char* name : {"a.json", "b.json"}) {
    const ProcessResult result = bench_predict("cpu");
    REQUIRE_EQ(result.exit_code, 0);
    const Json timed = Json::parse(result.out).at("results").at(0);
    CHECK_EQ(timed.at("check"), "passed");
    CHECK_EQ(timed.at("unit"), "img/s");
    CHECK_EQ(timed.at("params").at("picture"), Json({16, 16, 3}));
    std::ofstream(folder / name) << result.out;
  }
  const std::string a = folder / "a.json";
  const std::string b = folder / "b.json";
  const ProcessResult compared = opencd({"bench", "--compare", a, b, "--json"});
  REQUIRE_EQ(compared.exit_code, 0);
  const Json result = Json::parse(compared.out).at("results").at(0);
  const double ratio =
      result.at("median_ms").at(0).get<double>() / result.at("median_ms").at(1).get<double>();
  CHECK(result.at("ratio").at(1).get<double>() == doctest::Approx(ratio));
  CHECK(contains(opencd({"bench", "--compare", a, b}).out, "times as fast"));
}

TEST_CASE("several devices are timed one after the other") {
  const ProcessResult result = bench_predict("cpu,0");
  REQUIRE_EQ(result.exit_code, 0);
  const Json record = Json::parse(result.out);
  CHECK_EQ(record.at("suite"), "predict");
  REQUIRE_EQ(record.at("devices").size(), 2);
  CHECK_EQ(record.at("devices").at(0).at("results").size(), 1);
  CHECK_EQ(bench_predict("cpu,no-such-device").exit_code, 5);
}

TEST_CASE("what cannot be timed or compared is said in a sentence") {
  const TemporaryFolder folder;
  const std::string file = folder / "other.json";
  std::ofstream(file) << R"({"scores": []})";
  CHECK_EQ(opencd({"bench", "predict"}).exit_code, 2);
  CHECK(contains(opencd({"bench", "predict"}).err, "--run RUN"));
  CHECK(contains(opencd({"bench"}).err, "expected a suite"));
  const ProcessResult refused = opencd({"bench", "--compare", file, file});
  CHECK_EQ(refused.exit_code, 3);
  CHECK(contains(refused.err, "other.json"));
}

TEST_SUITE_END();

}  // namespace opencd::test
