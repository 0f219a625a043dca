#include "data/picture_stream.hpp"

#include "data/picture.hpp"
#include "data/support/pictures.hpp"

#include <fstream>

namespace opencd::test {

using namespace data;

namespace {

std::size_t resident_kib() {
  std::ifstream status("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  status >> all >> resident;
  return resident * 4;
}

}  // namespace

TEST_SUITE_BEGIN("data/picture_stream");

TEST_CASE("blocks come in order, whole and with the reasons of broken pictures") {
  const TempFolder folder;
  const auto good = folder.write("good.png", golden_picture("rgb.png"));
  const auto bad = folder.write("bad.png", {1, 2, 3});
  const ByteVector expected = fit_square(decode_picture(golden_picture("rgb.png"), "f"), 10);
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < 100; ++i) files.push_back(i % 7 == 3 ? bad : good);
  for (const unsigned threads : {1u, 2u, 5u, 200u})
    for (const std::size_t block : {1, 3, 32, 1000}) {
      PictureStream stream(files, {.size = 10, .threads = threads, .block = block});
      std::size_t next = 0;
      while (const PictureBlock* got = stream.next()) {
        REQUIRE_EQ(got->first, next);
        for (std::size_t i = 0; i < got->size(); ++i, ++next) {
          CHECK_EQ(got->errors[i].empty(), next % 7 != 3);
          if (next % 7 != 3) CHECK(std::ranges::equal(got->row(i), expected));
        }
      }
      CHECK_EQ(next, files.size());
      CHECK_EQ(stream.next(), nullptr);
    }
  CHECK_EQ(decode_and_count(files, {.size = 10}), 86);
}

TEST_CASE("a stream may be left at any time and may be empty") {
  const TempFolder folder;
  const std::vector<std::filesystem::path> files(
      200, folder.write("good.png", golden_picture("rgb.png")));
  for (int taken = 0; taken < 6; ++taken) {
    PictureStream stream(files, {.size = 10, .threads = 3, .block = 4});
    for (int i = 0; i < taken; ++i) CHECK_NE(stream.next(), nullptr);
  }
  PictureStream empty({}, {});
  CHECK_EQ(empty.next(), nullptr);
}

TEST_CASE("memory stays flat however many pictures pass") {
  const TempFolder folder;
  const std::vector<std::filesystem::path> files(
      1'200, folder.write("large.jpg", golden_picture("large.jpg")));
  PictureStream stream(files, {.size = 224, .threads = 2});
  std::size_t after_some = 0;
  std::size_t blocks = 0;
  while (stream.next())
    if (++blocks == 12) after_some = resident_kib();
  const std::size_t at_end = resident_kib();
  MESSAGE("resident: ", after_some, " KiB after 384 pictures, ", at_end, " KiB after 1200");
#ifndef __SANITIZE_ADDRESS__                 // which keeps freed memory back
  CHECK_LT(at_end, after_some + 16 * 1024);  // 1200 pictures are 170 MiB
#endif
}

TEST_SUITE_END();

}  // namespace opencd::test
