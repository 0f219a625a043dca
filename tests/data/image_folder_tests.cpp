#include "data/image_folder.hpp"

#include "data/open_data_set.hpp"
#include "data/picture.hpp"
#include "data/picture_files.hpp"
#include "data/pixel_cache.hpp"
#include "data/support/pictures.hpp"

#include <cstdlib>
#include <utility>

namespace opencd::test {

using namespace data;
namespace fs = std::filesystem;

namespace {

using Paths = std::vector<std::string>;

void add(const TempFolder& folder, const Paths& names, const std::string& picture = "rgb.png") {
  for (const std::string& name : names) folder.write(name, golden_picture(picture));
}

ImageSet read(const TempFolder& folder, const FolderOptions& options = {.size = 8}) {
  return read_image_folder(folder.path(), options);
}

}  // namespace

TEST_SUITE_BEGIN("data/image_folder");

TEST_CASE("classes are sorted by name and pictures come in torchvision's order") {
  const TempFolder folder;
  add(folder,
      {"b/2.JPEG", "b/10.jpg", "B/x.png", "a/z.png", "a/sub/1.png", "a/sub!/1.png", "a/sub/x/1.png",
       "a/b.PNG", "a/.hidden.png", ".git/c.png", "a/readme.txt", "loose.png"});
  const ImageSet set = read(folder);
  CHECK_EQ(set.class_names, Paths{"B", "a", "b"});
  CHECK_EQ(set.train.paths, Paths{"B/x.png", "a/b.PNG", "a/z.png", "a/sub/1.png", "a/sub!/1.png",
                                  "a/sub/x/1.png", "b/10.jpg", "b/2.JPEG"});
  CHECK_EQ(set.train.labels, std::vector<std::int32_t>{0, 1, 1, 1, 1, 1, 2, 2});
  CHECK_EQ(set.shape, ImageShape{8, 8, 3});
  CHECK_EQ(set.left_out, Paths{});
  CHECK_EQ(open_data_set(folder.path(), {.folder = {.size = 8}}).hash, set.hash);
}

TEST_CASE("train and val stay apart") {
  const TempFolder folder;
  add(folder, {"train/a/1.png", "train/b/1.png", "val/b/2.png", "test/b/3.png"});
  const ImageSet set = read(folder);
  CHECK_EQ(set.train.paths, Paths{"train/a/1.png", "train/b/1.png"});
  CHECK_EQ(set.test.paths, Paths{"val/b/2.png"});
  CHECK_EQ(set.test.labels, std::vector<std::int32_t>{1});
  add(folder, {"val/c/2.png"});
  CHECK_REFUSED(read(folder), "class c has no training pictures");
}

TEST_CASE("rows are the decoded pictures and the size is the median of the shorter sides") {
  const TempFolder folder;
  add(folder, {"a/1.png", "a/2.png"});
  add(folder, {"a/3.jpg"}, "large.jpg");
  const ImageSet set = read_image_folder(folder.path(), {});
  CHECK_EQ(set.shape, ImageShape{38, 38, 3});
  const ByteVector expected = fit_square(decode_picture(golden_picture("rgb.png"), "f"), 38);
  CHECK(std::ranges::equal(set.train_row(1), expected));
}

TEST_CASE("broken pictures are left out and named, or refused when strict") {
  const TempFolder folder;
  add(folder, {"a/1.png", "a/3.png", "b/1.png"});
  folder.write_text("a/2.png", "not a picture");
  folder.write("a/4.jpg", {});
  const ImageSet set = read(folder);
  CHECK_EQ(set.train.paths, Paths{"a/1.png", "a/3.png", "b/1.png"});
  REQUIRE_EQ(set.left_out.size(), 2);
  CHECK_EQ(set.left_out[0], "a/2.png: expected JPEG or PNG, found neither at byte 0");
  CHECK_EQ(set.left_out[1], "a/4.jpg: the file is empty");
  CHECK_REFUSED(read(folder, {.size = 8, .strict = true}),
                "2 broken pictures, the first is a/2.png");
  folder.write_text("b/1.png", "broken");
  CHECK_REFUSED(read(folder), "every picture of class b is broken");
}

TEST_CASE("an empty class and a folder without pictures are refused") {
  const TempFolder folder;
  CHECK_REFUSED(read(folder), "expected pictures in class folders");
  add(folder, {"a/1.png"});
  fs::create_directories(folder.path() / "b");
  CHECK_REFUSED(read(folder), "b: expected at least one .jpg, .jpeg or .png");
}

TEST_CASE("a link back to a folder above ends the walk") {
  const TempFolder folder;
  add(folder, {"a/1.png", "a/deep/2.png"});
  fs::create_directory_symlink(folder.path() / "a", folder.path() / "a" / "deep" / "loop");
  fs::create_directory_symlink(folder.path() / "a" / "self", folder.path() / "a" / "self");
  CHECK_EQ(read(folder).train.paths, Paths{"a/1.png", "a/deep/2.png"});
}

TEST_CASE("names that are no clean text are refused as classes and left out as pictures") {
  const TempFolder folder;
  add(folder, {"a/1.png", "a/bell\a.png", "a/\xff\xfe.png"});
  const ImageSet set = read(folder);
  CHECK_EQ(set.train.paths, Paths{"a/1.png"});
  REQUIRE_EQ(set.left_out.size(), 2);
  CHECK_EQ(set.left_out[0], "a/bell\\x07.png: the name is not clean UTF-8 text");
  CHECK_EQ(set.left_out[1], "a/\\xff\\xfe.png: the name is not clean UTF-8 text");
  add(folder, {"esc\x1b[31m/1.png"});
  CHECK_REFUSED(read(folder), "esc\\x1b[31m: expected a class name in UTF-8");
}

TEST_CASE("files that cannot be opened are left out by name") {
  const TempFolder folder;
  add(folder, {"a/1.png"});
  fs::create_symlink("nowhere.png", folder.path() / "a" / "2.png");
  fs::create_directory(folder.path() / "a" / "3.png");
  const ImageSet set = read(folder);
  CHECK_EQ(set.train.size(), 1);
  REQUIRE_EQ(set.left_out.size(), 1);
  CHECK(set.left_out[0].starts_with("a/2.png: "));
  CHECK_NE(set.left_out[0].find("No such file"), std::string::npos);
}

TEST_CASE("a heap of pictures takes its classes from a labels file") {
  const TempFolder folder;
  add(folder, {"pictures/1.png", "pictures/2.png", "pictures/3.png"});
  const auto csv = folder.write_text("labels.csv", "path,label\n2.png,cat\n");
  const auto pictures = folder.path() / "pictures";
  CHECK_EQ(open_data_set(pictures, {.folder = {.size = 8}}).class_names, Paths{});
  const ImageSet set = open_data_set(pictures, {.labels = csv, .folder = {.size = 8}});
  CHECK_EQ(set.class_names, Paths{"cat"});
  CHECK_EQ(*set.given_rows, std::vector<std::uint32_t>{1});
}

TEST_CASE("any number of threads gives the same set") {
  const TempFolder folder;
  for (int i = 0; i < 70; ++i)
    add(folder, {fmt::format("a/{}.jpg", i)}, fmt::format("exif{}.jpg", i % 8 + 1));
  const std::string hash = read(folder, {.size = 24, .threads = 1}).hash;
  CHECK_EQ(read(folder, {.size = 24, .threads = 2}).hash, hash);
  CHECK_EQ(read(folder, {.size = 24, .threads = 9}).hash, hash);
}

TEST_CASE("a cache gives the same set, notices changes and mends itself") {
  const TempFolder folder;
  const TempFolder cache;
  add(folder, {"a/1.png", "a/2.png", "b/1.png"});
  folder.write_text("a/3.png", "broken");
  const ImageSet plain = read(folder);
  const FolderOptions options{.size = 8, .cache_folder = cache.path() / "new"};
  const auto cached_files = [&] {
    Paths names;
    for (const auto& entry : fs::directory_iterator(options.cache_folder))
      names.push_back(entry.path());
    return names;
  };
  for (int round = 0; round < 2; ++round) {
    const ImageSet cached = read(folder, options);
    CHECK_EQ(cached.hash, plain.hash);
    CHECK_EQ(cached.left_out, plain.left_out);
    CHECK_EQ(cached_files().size(), 1);
  }
  // Every damaged byte is noticed.
  const ByteVector good = read_file(cached_files()[0]);
  for (const std::size_t at : {std::size_t{0}, good.size() - 161, good.size() - 100,
                               good.size() - 70, good.size() - 50, good.size() - 1}) {
    ByteVector damaged = good;
    damaged[at] ^= 1;
    write_file(cached_files()[0], damaged);
    CHECK_EQ(read(folder, options).hash, plain.hash);
    CHECK_EQ(read_file(cached_files()[0]), good);
  }
  write_file(cached_files()[0], std::span(good).first(good.size() - 100));
  CHECK_EQ(read(folder, options).hash, plain.hash);
  add(folder, {"a/1.png"}, "grey.png");
  CHECK_NE(read(folder, options).hash, plain.hash);
  CHECK_EQ(cached_files().size(), 2);
}

TEST_SUITE_END();

}  // namespace opencd::test
