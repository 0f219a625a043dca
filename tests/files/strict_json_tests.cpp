#include "files/strict_json.hpp"

#include "error.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

using namespace files;

namespace {
std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
  const auto message = message_of<FormatError>([&] { parse_json(text, "state.json", limits); });
  CHECK_CONTAINS(message, "\"state.json\"");
  return message;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }
}  // namespace

TEST_SUITE_BEGIN("files/strict_json");

TEST_CASE("plain JSON is parsed") {
  const auto value = parse_json(R"({"a": [1, -2.5, "x", null, true], "b": {"a": {}}})", "f");
  CHECK_EQ(value["a"][1], -2.5);
  CHECK_EQ(value["b"].size(), 1);
}

TEST_CASE("a key twice in one object is refused, in two objects it is not") {
  CHECK_CONTAINS(refusal(R"({"k": 1, "k": 1})"), "key \"k\" appears twice");
  CHECK_CONTAINS(refusal(R"([{"a": {"k": [{"x": 1}], "k": 1}}])"), "key \"k\" appears twice");
  CHECK_CONTAINS(refusal(R"({"k": 1, "\u006b": 2})"), "key \"k\" appears twice");
  CHECK_NOTHROW(parse_json(R"({"k": {"k": 1}, "l": [{"k": 1}, {"k": 1}]})", "f"));
}

TEST_CASE("nesting is allowed up to its limit") {
  CHECK_NOTHROW(parse_json(nested(64), "f"));
  CHECK_CONTAINS(refusal(nested(65)), "nested deeper than 64 levels");
  CHECK_CONTAINS(refusal(std::string(200'000, '[')), "nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += R"({"a":)";
  CHECK_CONTAINS(refusal(objects), "nested deeper than 64 levels");
}

TEST_CASE("size and number of values are limited") {
  CHECK_NOTHROW(parse_json("[1]", "f", {.bytes = 3, .values = 2}));
  CHECK_CONTAINS(refusal("[12]", {.bytes = 3}), "4 bytes of JSON, expected at most 3");
  CHECK_CONTAINS(refusal("[1,2]", {.values = 2}), "more than 2 values");
}

TEST_CASE("what is not JSON is refused with its place") {
  CHECK_CONTAINS(refusal("{\n  \"a\": ,\n}"), "line 2, column 8");
  CHECK_CONTAINS(refusal(""), "parse error");
  CHECK_CONTAINS(refusal("{} {}"), "parse error");
  CHECK_CONTAINS(refusal("[NaN]"), "parse error");
  CHECK_CONTAINS(refusal("[1e999]"), "1e999");
  CHECK_CONTAINS(refusal(std::string_view("{}\0rest", 7)), "zero byte at byte 2");
  CHECK_LT(refusal(std::string(100'000, '"')).size(), 500);
}

TEST_CASE("a file that is too large is refused before it is read") {
  const TemporaryFolder folder;
  const auto path = folder.put("a.json", R"({"a": 1})");
  CHECK_EQ(read_json_file(path)["a"], 1);
  CHECK_THROWS_AS(read_json_file(path, {.bytes = 4}), FormatError);
  CHECK_THROWS_AS(read_json_file(folder / "none.json"), FormatError);
}

TEST_SUITE_END();

}  // namespace opencd::test
