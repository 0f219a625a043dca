#include "data/labels_file.hpp"

#include "data/open_world_split.hpp"
#include "data/support/npy_files.hpp"

namespace opencd::test {

using namespace data;

namespace {

/// Four pictures in two class folders, as the folder reader delivers them.
ImageSet four_pictures() {
  ImageSet set;
  set.name = "pictures";
  set.shape = {1, 1, 1};
  set.class_names = {"cat", "dog"};
  set.train.pixels = Bytes(ByteVector(4));
  set.train.labels = {0, 0, 1, 1};
  set.train.paths = {"cat/1.png", "cat/2.png", "dog/1.png", "dog/2.png"};
  return finish_image_set(std::move(set));
}

std::vector<LabelLine> lines_of(std::string_view text) {
  return parse_labels_csv(text, "path", "l.csv");
}

}  // namespace

TEST_SUITE_BEGIN("data/labels_file");

TEST_CASE("cells may be quoted, lines may end as on any system") {
  const auto lines = lines_of("\xEF\xBB\xBFpath,label\r\n\"a,b.png\",\"the \"\"cat\"\"\"\r\n\nc,d");
  REQUIRE_EQ(lines.size(), 2);
  CHECK_EQ(lines[0].key, "a,b.png");
  CHECK_EQ(lines[0].label, "the \"cat\"");
  CHECK_EQ(lines[1].key, "c");
  CHECK_EQ(lines[1].line, 4);
}

TEST_CASE("broken CSV is refused with its line") {
  CHECK_REFUSED(lines_of(""), "line 1: expected the header path,label");
  CHECK_REFUSED(lines_of("a.png,cat\n"), "line 1: expected the header path,label");
  CHECK_REFUSED(lines_of("path,label\na.png\n"), "line 2");
  CHECK_REFUSED(lines_of("path,label\na,b,c\n"), "line 2");
  CHECK_REFUSED(lines_of("path,label\n,b\n"), "line 2");
  CHECK_REFUSED(lines_of("path,label\na,\n"), "line 2");
  CHECK_REFUSED(lines_of("path,label\na,\"b\n"), "closing quote");
  CHECK_REFUSED(lines_of("path,label\na,\"b\"c\n"), "line 2");
  CHECK_REFUSED(lines_of("path,label\na,b\na,c\n"), "line 3: a is there twice");
  CHECK_REFUSED(lines_of("path,label\na,\x1b[31m\n"), "line 2");
  CHECK_REFUSED(lines_of("path,label\na,\xff\n"), "UTF-8");
}

TEST_CASE("labels that are classes of the set mark rows and leave the truth alone") {
  const TempFolder folder;
  const auto csv = folder.write_text("l.csv", "path,label\ndog/2.png,dog\ndog/1.png,dog\n");
  const ImageSet set = apply_labels_file(four_pictures(), csv);
  CHECK_EQ(set.train.labels, std::vector<std::int32_t>{0, 0, 1, 1});
  const OpenWorldSplit split = open_world_split(set, {});
  CHECK_EQ(split.labeled, std::vector<std::uint32_t>{2, 3});
  CHECK_EQ(split.class_order, std::vector<std::int32_t>{1, 0});
  CHECK_EQ(split.known, 1);
}

TEST_CASE("labels of their own become the classes, sorted by name") {
  const TempFolder folder;
  const auto csv = folder.write_text("l.csv", "path,label\ndog/2.png,zebra\ncat/1.png,ant\n");
  const ImageSet set = apply_labels_file(four_pictures(), csv);
  CHECK_EQ(set.class_names, std::vector<std::string>{"ant", "zebra"});
  CHECK_EQ(set.train.labels, std::vector<std::int32_t>{0, kNoLabel, kNoLabel, 1});
  CHECK_EQ(open_world_split(set, {}).unlabeled, std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("labels that contradict the set are refused") {
  const TempFolder folder;
  const auto apply = [&](const char* text) {
    return apply_labels_file(four_pictures(), folder.write_text("l.csv", text));
  };
  CHECK_REFUSED(apply("path,label\ncat/1.png,dog\n"), "lies in the folder of cat");
  CHECK_REFUSED(apply("path,label\ncat/1.png,cat\ncat/2.png,catt\n"),
                "line 3: catt is not a class");
  CHECK_REFUSED(apply("path,label\n../1.png,cat\n"), "not a training picture");
  CHECK_REFUSED(apply("path,label\n"), "no row is labelled");
}

TEST_CASE("rows of arrays take class numbers from CSV or .npy") {
  const TempFolder folder;
  const auto csv = folder.write_text("l.csv", "row,label\n3,1\n0,4\n");
  CHECK_EQ(read_row_labels(csv, 4), std::vector<std::int32_t>{4, -1, -1, 1});
  const auto npy =
      folder.write("l.npy", npy_file("<i8", "(4,)", bytes_of<std::int64_t>({4, -1, -1, 1})));
  CHECK_EQ(read_row_labels(npy, 4), std::vector<std::int32_t>{4, -1, -1, 1});
  ImageSet set = four_pictures();
  set.train.paths.clear();
  set.train.labels.assign(4, kNoLabel);
  set = apply_labels_file(std::move(set), npy);
  CHECK_EQ(set.class_names.size(), 5);
  CHECK_EQ(*set.given_rows, std::vector<std::uint32_t>{0, 3});
  CHECK_REFUSED(read_row_labels(npy, 5), "expected 5 labels, got 4");
  CHECK_REFUSED(read_row_labels(csv, 3), "line 2: expected a row below 3");
  const auto words = folder.write_text("w.csv", "row,label\n1,cat\n");
  CHECK_REFUSED(read_row_labels(words, 3), "expected a whole number, got cat");
}

TEST_SUITE_END();

}  // namespace opencd::test
