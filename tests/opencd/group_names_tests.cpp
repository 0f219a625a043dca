#include "opencd/group_names.hpp"

#include "error.hpp"
#include "support/corruption.hpp"
#include "support/file_content.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace opencd::test {

namespace {

/// Two known classes and three discovered groups.
GroupNames five_groups() { return GroupNames({"cat", "dog"}, 5); }

}  // namespace

TEST_SUITE_BEGIN("opencd/group_names");

TEST_CASE("known classes have their names, others a number until they are named") {
  GroupNames names = five_groups();
  CHECK_EQ(names.of(1), "dog");
  CHECK_EQ(names.of(3), "group 3");
  names.give(3, "Zürich, \"quoted\"");
  CHECK_EQ(names.of(3), "Zürich, \"quoted\"");
  names.clear(3);
  CHECK_EQ(names.of(3), "group 3");
}

TEST_CASE("what cannot be a name is refused with the reason") {
  const auto refused = [](std::int32_t group, const std::string& name) {
    GroupNames names = five_groups();
    return message_of<UsageError>([&] { names.give(group, name); });
  };
  CHECK_CONTAINS(refused(5, "fox"), "there is no group 5; there are 0 to 4");
  CHECK_CONTAINS(refused(-1, "fox"), "there is no group -1");
  CHECK_CONTAINS(refused(1, "fox"), "known class dog");
  CHECK_CONTAINS(refused(2, "cat"), "that is a known class");
  CHECK_CONTAINS(refused(2, ""), "without control characters");
  CHECK_CONTAINS(refused(2, "a\nb"), "without control characters");
  CHECK_CONTAINS(refused(2, "\x1b[31m"), "\\x1b");
  CHECK_CONTAINS(refused(2, "\xff"), "UTF-8");
  for (const char* text : {"", "seven", "7x", " 7", "99999999999"})
    CHECK_CONTAINS(message_of<UsageError>([&] { parse_group(text); }), "number of a group");
}

TEST_CASE("two groups cannot have one name, but can change names") {
  GroupNames names = five_groups();
  names.give(2, "fox");
  names.give(3, "owl");
  names.give(2, "owl");
  CHECK_CONTAINS(message_of<UsageError>([&] { names.check(); }), "groups 2 and 3");
  names.give(3, "fox");
  names.check();
  CHECK_EQ(names.of(2), "owl");
}

TEST_CASE("names survive their file, for the grouping they were given for") {
  const TemporaryFolder folder;
  const auto file = folder / "names.json";
  GroupNames names = five_groups();
  CHECK(read_names(file, "a", names));
  names.give(4, "наука");
  write_names(file, "a", names);
  GroupNames again = five_groups();
  CHECK(read_names(file, "a", again));
  CHECK_EQ(again.given(), names.given());
  GroupNames other = five_groups();
  CHECK_FALSE(read_names(file, "b", other));
  CHECK(other.given().empty());
}

TEST_CASE("a grouping is known by the groups of its prototypes alone") {
  const nlohmann::ordered_json state = {{"group_of", {0, 1, 1}}, {"labelled_accuracy", 0.5}};
  nlohmann::ordered_json later = state;
  later["labelled_accuracy"] = 0.7;
  CHECK_EQ(grouping_id(later), grouping_id(state));
  later["group_of"] = {0, 1, 0};
  CHECK_NE(grouping_id(later), grouping_id(state));
}

TEST_CASE("a broken file, or one for other groups, is refused by name") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    const auto file = folder.put("names.json", text);
    GroupNames names = five_groups();
    return message_of<FormatError>([&] { read_names(file, "a", names); });
  };
  const std::string start = R"({"format": "opencd_sycl names 1", "grouping": "a", "names": )";
  CHECK_CONTAINS(refused("{"), "names.json");
  CHECK_CONTAINS(refused(R"({"format": "other"})"), "opencd_sycl names 1");
  CHECK_CONTAINS(refused(start + R"({"9": "fox"}})"), "there is no group 9");
  CHECK_CONTAINS(refused(start + R"({"x": "fox"}})"), "number of a group");
  CHECK_CONTAINS(refused(start + R"({"2": "fox", "3": "fox"}})"), "groups 2 and 3");
  CHECK_CONTAINS(refused(start + R"({"2": 7}})"), "does not read");
}

TEST_CASE("damaged anywhere, names are refused by their file or are names that can be given") {
  const TemporaryFolder folder;
  GroupNames whole = five_groups();
  whole.give(3, "fox");
  whole.give(4, "owl");
  write_names(folder / "whole.json", "a", whole);
  std::vector<std::string> damaged = corruptions(content(folder / "whole.json"));
  for (const char* key : {"format", "grouping", "names"})
    for (const std::string& value : json_of_every_type()) {
      auto broken = nlohmann::json::parse(content(folder / "whole.json"));
      broken[key] = nlohmann::json::parse(value);
      damaged.push_back(broken.dump());
    }
  for (const std::string& value : json_of_every_type()) damaged.push_back(value);
  for (const std::string& bytes : damaged) {
    CAPTURE(bytes);
    const auto file = folder.put("names.json", bytes);
    GroupNames names = five_groups();
    try {
      read_names(file, "a", names);
      names.check();
      for (const auto& [group, name] : names.given()) CHECK_NOTHROW(names.give(group, name));
    } catch (const FormatError& error) {
      CHECK_CONTAINS(error.what(), "names.json");
    }
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
