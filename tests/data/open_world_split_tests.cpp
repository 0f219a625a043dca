#include "data/open_world_split.hpp"

#include "data/split_file.hpp"
#include "data/support/files.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <random>

namespace opencd::test {

using namespace data;

namespace {

/// 1 x 1 pictures with the given labels.
ImageSet labelled_rows(std::vector<std::int32_t> labels, std::size_t classes) {
  ImageSet set;
  set.name = "rows";
  set.shape = {1, 1, 1};
  set.train.pixels = Bytes(ByteVector(labels.size()));
  set.train.labels = std::move(labels);
  for (std::size_t i = 0; i < classes; ++i) set.class_names.push_back(fmt::format("class {}", i));
  return finish_image_set(std::move(set));
}

/// As many rows a class as CIFAR has, classes taking turns. The counts of the published split do not
/// depend on the order of the rows.
ImageSet cifar_like(std::size_t classes) {
  std::vector<std::int32_t> labels(50'000);
  for (std::size_t row = 0; row < labels.size(); ++row)
    labels[row] = static_cast<std::int32_t>(row % classes);
  return labelled_rows(std::move(labels), classes);
}

}  // namespace

TEST_SUITE_BEGIN("data/open_world_split");

TEST_CASE("counts are the published ones") {
  for (const std::size_t classes : {10, 100}) {
    const ImageSet set = cifar_like(classes);
    const OpenWorldSplit tenth = open_world_split(set, {.known = classes / 2});
    CHECK_EQ(tenth.labeled.size(), 2'597);
    CHECK_EQ(tenth.unlabeled.size(), 47'403);
    const OpenWorldSplit half = open_world_split(set, {.known = classes / 2, .labeled_ratio = 0.5});
    CHECK_EQ(half.labeled.size(), 12'597);
    CHECK_EQ(half.unlabeled.size(), 37'403);
  }
}

TEST_CASE("the sweep over known classes is the published one") {
  const ImageSet set = cifar_like(10);
  const std::size_t expected[] = {492, 1021, 1558, 2104, 2597, 3113, 3611, 4093, 4630};
  for (std::size_t known = 1; known <= 9; ++known)
    CHECK_EQ(open_world_split(set, {.known = known}).labeled.size(), expected[known - 1]);
}

TEST_CASE("the first draws are NumPy's") {
  // 0.5488 0.7152 0.6028 0.5449 0.4237 0.6459 0.4376 0.8918 0.9637 0.3834
  const ImageSet set = labelled_rows({0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 2);
  const OpenWorldSplit split = open_world_split(set, {.known = 1, .labeled_ratio = 0.545});
  CHECK_EQ(split.labeled, std::vector<std::uint32_t>{5, 7, 9, 12});
  CHECK_EQ(split.unlabeled, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 6, 8, 10, 11});
}

TEST_CASE("labelled and unlabelled rows partition the set and labelled ones are known") {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const std::size_t classes = 1 + random() % 12;
    std::vector<std::int32_t> labels(1 + random() % 500);
    for (std::int32_t& label : labels)
      label = static_cast<std::int32_t>(random() % (classes + 1)) - 1;
    const ImageSet set = labelled_rows(labels, classes);
    const std::size_t known = 1 + random() % classes;
    const OpenWorldSplit split = open_world_split(
        set, {.known = known, .labeled_ratio = static_cast<double>(random() % 11) / 10.0});
    std::vector<int> seen(labels.size(), 0);
    for (const std::uint32_t row : split.labeled) {
      ++seen[row];
      CHECK_GE(labels[row], 0);
      CHECK_LT(labels[row], static_cast<std::int32_t>(known));
    }
    for (const std::uint32_t row : split.unlabeled) ++seen[row];
    CHECK_EQ(seen, std::vector<int>(labels.size(), 1));
    const OpenWorldSplit back = parse_split(split_to_json(split), "f");
    CHECK_EQ(back.labeled, split.labeled);
    CHECK_EQ(back.hash(), split.hash());
  }
}

TEST_CASE("classes named in a list come first and keep their order") {
  const ImageSet set = labelled_rows({0, 1, 2, 3, 3, 1}, 4);
  const OpenWorldSplit split =
      open_world_split(set, {.labeled_ratio = 1.0, .known_classes = {"class 3", "class 1"}});
  CHECK_EQ(split.class_order, std::vector<std::int32_t>{3, 1, 0, 2});
  CHECK_EQ(split.labeled, std::vector<std::uint32_t>{1, 3, 4, 5});
  CHECK_EQ(class_places(split, set.train.labels), std::vector<std::int32_t>{2, 1, 3, 0, 0, 1});
  CHECK_THROWS_AS(open_world_split(set, {.known_classes = {"class 9"}}), UsageError);
  CHECK_THROWS_AS(open_world_split(set, {.known_classes = {"class 1", "class 1"}}), UsageError);
  CHECK_THROWS_AS(open_world_split(set, {.known = 5}), UsageError);
  CHECK_THROWS_AS(open_world_split(set, {.labeled_ratio = 1.5}), UsageError);
  CHECK_THROWS_AS(open_world_split(set, {.labeled_ratio = NAN}), UsageError);
}

TEST_CASE("a split survives its file and is refused for other data") {
  const TempFolder folder;
  const ImageSet set = cifar_like(10);
  const OpenWorldSplit split = open_world_split(set, {.known = 5});
  const auto path = folder.path() / "splits.json";
  write_split(split, path);
  const OpenWorldSplit back = read_split(path, set);
  CHECK_EQ(back.labeled, split.labeled);
  CHECK_EQ(back.unlabeled, split.unlabeled);
  CHECK_EQ(back.class_order, split.class_order);
  CHECK_EQ(back.hash(), split.hash());
  CHECK_REFUSED(read_split(path, cifar_like(100)), "made for other data");
}

TEST_CASE("a broken split file is refused") {
  const ImageSet set = labelled_rows({0, 1, 0, 1}, 2);
  OpenWorldSplit split = open_world_split(set, {.known = 1, .labeled_ratio = 1.0});
  using nlohmann::json;
  const auto changed = [&](const std::function<void(json&)>& change) {
    json object = json::parse(split_to_json(split));
    change(object);
    return format_complaint([&] { parse_split(object.dump(), "s.json"); });
  };
  CHECK_EQ(changed([](json&) {}), "");
  CHECK_NE(changed([](json& o) { o["format"] = "splits 2"; }), "");
  CHECK_NE(changed([](json& o) { o["labeled"] = {0, 1}; }), "");
  CHECK_NE(changed([](json& o) { o["labeled"] = {2, 0}; }), "");
  CHECK_NE(changed([](json& o) { o["labeled"] = {0, 4}; }), "");
  CHECK_NE(changed([](json& o) { o["labeled"] = {0, -2}; }), "");
  CHECK_NE(changed([](json& o) { o["labeled"] = "0,2"; }), "");
  CHECK_NE(changed([](json& o) { o["rows"] = 1e30; }), "");
  CHECK_NE(changed([](json& o) { o["rows"] = 0; }), "");
  CHECK_NE(changed([](json& o) { o["known"] = 3; }), "");
  CHECK_NE(changed([](json& o) { o["class_order"] = {0, 0}; }), "");
  CHECK_NE(changed([](json& o) { o["more"] = 1; }), "");
  CHECK_NE(changed([](json& o) { o.erase("hash"); }), "");
  const std::string text = split_to_json(split);
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    CHECK_REFUSED(parse_split(text.substr(0, size), "s.json"), "s.json");
  CHECK_REFUSED(parse_split(std::string(100'000, '['), "s.json"), "nested deeper");
  CHECK_REFUSED(parse_split("{\"rows\": 1, " + text.substr(1), "s.json"), "twice");
}

TEST_SUITE_END();

}  // namespace opencd::test
