#include "cli/bench_comparison.hpp"

#include "error.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

using cli::Json;

namespace {

Json result(const char* name, const Json& params, double ms, const char* check = "passed") {
  return {{"name", name}, {"params", params}, {"median_ms", ms}, {"check", check}};
}

Json record(std::initializer_list<Json> results) { return {{"results", Json(results)}}; }

}  // namespace

TEST_SUITE_BEGIN("cli/bench_comparison");

TEST_CASE("cases are matched by name and parameters, whatever their order") {
  const std::vector<Json> records = {
      record({result("copy", {{"rows", 2}, {"columns", 3}}, 8.0),
              result("copy", {{"rows", 4}}, 1.0), result("only here", Json::object(), 1.0)}),
      record({result("copy", {{"rows", 4}}, 4.0),
              result("copy", {{"columns", 3}, {"rows", 2}}, 2.0)})};
  const auto compared = cli::compare_records(records);
  REQUIRE_EQ(compared.size(), 2);
  CHECK_EQ(compared[0].params.at("rows"), 2);
  CHECK_EQ(compared[0].ratio(1).value(), 4.0);
  CHECK_EQ(compared[1].ratio(1).value(), 0.25);
  const Json json = cli::to_json({"a.json", "b.json"}, compared);
  CHECK_EQ(json.at("results").at(0).at("median_ms"), Json({8.0, 2.0}));
  CHECK_EQ(json.at("results").at(0).at("ratio"), Json({1.0, 4.0}));
}

TEST_CASE("a case that failed its check has no time and no ratio") {
  const std::vector<Json> records = {record({result("copy", Json::object(), 8.0)}),
                                     record({result("copy", Json::object(), 0.0, "wrong")})};
  const auto compared = cli::compare_records(records);
  REQUIRE_EQ(compared.size(), 1);
  CHECK_FALSE(compared[0].ratio(1).has_value());
  CHECK(cli::to_json({"a", "b"}, compared).at("results").at(0).at("median_ms").at(1).is_null());
}

TEST_CASE("a file that is no record is refused by name") {
  CHECK_NOTHROW(cli::check_record(record({result("copy", Json::object(), 1.0)}), "a.json"));
  for (const Json& broken :
       {Json::object(), Json{{"results", 3}}, Json{{"results", {{{"name", "copy"}}}}},
        Json{{"results", {{{"name", 3}, {"params", 3}, {"median_ms", 1}, {"check", "passed"}}}}}})
    CHECK_THROWS_WITH_AS(cli::check_record(broken, "a.json"), doctest::Contains("a.json"),
                         FormatError);
}

TEST_SUITE_END();

}  // namespace opencd::test
