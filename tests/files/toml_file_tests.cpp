#include "files/toml_file.hpp"

#include "error.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

using namespace files;

namespace {
using Values = std::vector<std::string>;
}  // namespace

TEST_SUITE_BEGIN("files/toml_file");

TEST_CASE("keys come in the order of their lines, values as they would be typed") {
  const auto entries = parse_toml(
      "# a comment\nz = 3\nlr = 1e-3\n\nname = \"a \\\"b\\\"\"\nflag = true\nlist = [1, \"x\"]\n"
      "none = []\nbig = 1_000_000\nhalf = 0.5\n",
      "f.toml");
  REQUIRE_EQ(entries.size(), 8);
  CHECK_EQ(entries[0].key, "z");
  CHECK_EQ(entries[0].line, 2);
  CHECK_EQ(entries[0].values, Values{"3"});
  CHECK_EQ(entries[1].values, Values{"0.001"});
  CHECK_EQ(entries[2].values, Values{"a \"b\""});
  CHECK_EQ(entries[3].values, Values{"true"});
  CHECK_EQ(entries[4].values, Values{"1", "x"});
  CHECK_EQ(entries[4].line, 7);
  CHECK(entries[5].values.empty());
  CHECK_EQ(entries[6].values, Values{"1000000"});
  CHECK_EQ(entries[7].values, Values{"0.5"});
}

TEST_CASE("what is no flat TOML is refused with its line") {
  const auto refusal = [](const char* text) {
    return message_of<FormatError>([&] { parse_toml(text, "f.toml"); });
  };
  CHECK_CONTAINS(refusal("a = 1\nb = \n"), "\"f.toml\", line 2: ");
  CHECK_CONTAINS(refusal("a = 1\n\na = 2\n"), "line 3: ");
  CHECK_CONTAINS(refusal("a = 1\n[train]\nb = 2\n"), "line 2: \"train\" is a table");
  CHECK_CONTAINS(refusal("a.b = 2\n"), "line 1: \"a\" is a table");
  CHECK_CONTAINS(refusal("a = [[1]]\n"), "list in a list");
  CHECK_CONTAINS(refusal("a = 2020-01-01\n"), "a date");
  CHECK_CONTAINS(refusal("a = \"\xff\"\n"), "line 1: ");
  CHECK_CONTAINS(refusal(std::string((1 << 20) + 1, ' ').c_str()), "expected at most 1048576");
  CHECK_CONTAINS(refusal(("b = 1\n" + std::string(4097, 'a')).c_str()), "line 2: 4097 bytes");
  std::string deep = "a";
  for (int i = 0; i < 2000; ++i) deep += ".a";
  CHECK_CONTAINS(refusal((deep + " = 1").c_str()), "is a table");
}

TEST_CASE("a file that is not there is named") {
  const TemporaryFolder folder;
  CHECK_CONTAINS(message_of<FormatError>([&] { read_toml_file(folder / "no.toml"); }), "no.toml");
}

TEST_CASE("any text comes back from its own string") {
  for (const std::string text : {"", "plain", "a\"b\\c", "tab\tline\nend\x7f", "naïve 名"}) {
    CAPTURE(text);
    CHECK_EQ(parse_toml("k = " + toml_string(text), "f.toml").front().values, Values{text});
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
