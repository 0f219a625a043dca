#include "data/class_list.hpp"

#include "data/open_data_set.hpp"
#include "data/support/pictures.hpp"

namespace opencd::test {

using namespace data;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE_BEGIN("data/class_list");

TEST_CASE("names come in the order of the file, without comments, empty lines and spaces around") {
  const TempFolder folder;
  const auto list = folder.write_text("list.txt", "# mine\r\nwolf\r\n\n  arctic fox \nant");
  CHECK_EQ(read_class_list(list), Names{"wolf", "arctic fox", "ant"});
}

TEST_CASE("what is no name, stands twice or names nothing is refused with its line") {
  const TempFolder folder;
  const auto refused = [&](const char* text, const char* words) {
    CHECK_REFUSED(read_class_list(folder.write_text("list.txt", text)), words);
  };
  refused("ant\n../wolf\n", "line 2: expected the name of a folder, got '../wolf'");
  refused("..\n", "line 1: expected the name of a folder");
  refused("a\x1b[31m\n", "got 'a\\x1b[31m'");
  refused("ant\nwolf\nant\n", "line 3: class ant is there twice");
  refused("# nothing\n", "expected names of class folders, one a line");
}

TEST_CASE(
    "of a folder the listed classes alone are taken, in the list's order and under its name") {
  const TempFolder folder;
  for (const char* name :
       {"pictures/train/a/1.png", "pictures/train/b/1.png", "pictures/train/c/1.png",
        "pictures/val/a/2.png", "pictures/val/b/2.png", "pictures/val/d/2.png"})
    folder.write(name, golden_picture("rgb.png"));
  const auto list = folder.write_text("imagenet-100.txt", "c\na\n");
  const DataOptions options{.folder = {.size = 8, .class_list = list}};
  const ImageSet set = open_data_set(folder.path() / "pictures", options);
  CHECK_EQ(set.name, "imagenet-100");
  CHECK_EQ(set.class_names, Names{"c", "a"});
  CHECK_EQ(set.train.paths, Names{"train/c/1.png", "train/a/1.png"});
  CHECK_EQ(set.train.labels, std::vector<std::int32_t>{0, 1});
  CHECK_EQ(set.test.paths, Names{"val/a/2.png"});
  CHECK_EQ(set.test.labels, std::vector<std::int32_t>{1});
  folder.write_text("imagenet-100.txt", "c\nwolf\n");
  CHECK_REFUSED(open_data_set(folder.path() / "pictures", options),
                "train: expected a folder of class wolf, which the class list names");
}

TEST_CASE("a class list for data that is no folder is refused") {
  const TempFolder folder;
  const auto list = folder.write_text("list.txt", "0\n1\n");
  CHECK_THROWS_WITH_AS(
      open_data_set("synthetic:classes=2,per-class=4,size=8", {.folder = {.class_list = list}}),
      doctest::Contains("a class list is for folders of pictures"), UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
