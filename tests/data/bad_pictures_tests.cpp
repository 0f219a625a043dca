// Pictures that are broken or lie: each is refused by name, without a crash or a large allocation.
#include "data/picture.hpp"
#include "data/support/pictures.hpp"

#include <sys/resource.h>

namespace opencd::test {

using namespace data;

namespace {

/// Sets the size in the first frame header of a JPEG.
ByteVector with_jpeg_size(ByteVector file, unsigned width, unsigned height) {
  for (std::size_t at = 2; at + 9 < file.size();) {
    const unsigned marker = file[at + 1];
    if (marker == 0xc0 || marker == 0xc2) {
      file[at + 5] = static_cast<std::uint8_t>(height >> 8);
      file[at + 6] = static_cast<std::uint8_t>(height);
      file[at + 7] = static_cast<std::uint8_t>(width >> 8);
      file[at + 8] = static_cast<std::uint8_t>(width);
      return file;
    }
    at += 2 + std::size_t{file[at + 2]} * 256 + file[at + 3];
  }
  FAIL("no frame header");
  return file;
}

std::uint32_t crc(std::span<const std::uint8_t> bytes) {
  std::uint32_t value = 0xffffffff;
  for (const std::uint8_t byte : bytes) {
    value ^= byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0u);
  }
  return ~value;
}

/// Sets the size in the header of a PNG, with a right checksum.
ByteVector with_png_size(ByteVector file, std::uint32_t width, std::uint32_t height) {
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i)
      file[at + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
  };
  put(16, width);
  put(20, height);
  put(29, crc(std::span(file).subspan(12, 17)));
  return file;
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_SUITE_BEGIN("data/bad_pictures");

TEST_CASE("what is no picture is refused by name") {
  CHECK_REFUSED(decode_picture({}, "none.jpg"), "none.jpg: the file is empty");
  CHECK_REFUSED(decode_picture(ByteVector(1000, 65), "text.png"), "text.png: expected JPEG or PNG");
  CHECK_REFUSED(picture_size(ByteVector{0xff, 0xd8, 0xff}, "stub.jpg"), "stub.jpg");
}

TEST_CASE("a picture cut anywhere is refused") {
  for (const char* name : {"rgb420.jpg", "progressive.jpg", "grey.png", "interlaced.png"}) {
    const ByteVector whole = golden_picture(name);
    for (std::size_t size = 0; size + 2 < whole.size(); size += 3) {
      CAPTURE(size);
      CHECK_REFUSED(decode_picture(std::span(whole).first(size), name), name);
    }
  }
}

TEST_CASE("flipped bytes are refused or give a picture of the right size") {
  for (const char* name :
       {"rgb420.jpg", "cmyk.jpg", "progressive.jpg", "palette.png", "rgba.png"}) {
    const ByteVector whole = golden_picture(name);
    for (std::size_t at = 0; at < whole.size(); at += 2) {
      ByteVector flipped = whole;
      flipped[at] ^= static_cast<std::uint8_t>(1u << at % 8);
      try {
        const Picture picture = decode_picture(flipped, name, 8);
        CHECK_EQ(picture.rgb.size(), picture.width * picture.height * 3);
        CHECK_EQ(fit_square(picture, 8).size(), 192);
      } catch (const FormatError& error) {
        CHECK_NE(std::string(error.what()).find(name), std::string::npos);
      }
    }
  }
}

TEST_CASE("huge sizes in small files take no memory") {
  const long before = peak_kib();
  const ByteVector jpeg = golden_picture("rgb420.jpg");
  const ByteVector progressive = golden_picture("progressive.jpg");
  const ByteVector png = golden_picture("grey.png");
  CHECK_REFUSED(decode_picture(with_jpeg_size(jpeg, 65'000, 65'000), "f"),
                "more pixels than are allowed");
  CHECK_REFUSED(decode_picture(with_jpeg_size(jpeg, 8'000, 8'000), "f"), "than the file can hold");
  CHECK_REFUSED(decode_picture(with_jpeg_size(progressive, 8'000, 8'000), "f"),
                "than the file can hold");
  CHECK_REFUSED(decode_picture(with_jpeg_size(jpeg, 0, 9), "f"), "f");
  CHECK_REFUSED(decode_picture(with_png_size(png, 1'000'000, 1'000'000), "f"),
                "more pixels than are allowed");
  CHECK_REFUSED(decode_picture(with_png_size(png, 8'000, 8'000), "f"), "than the file can hold");
  CHECK_REFUSED(decode_picture(with_png_size(png, 0x7fffffff, 1), "f"), "f");
  CHECK_REFUSED(decode_picture(with_png_size(png, 0, 0), "f"), "f");
  ByteVector long_chunk = golden_picture("exif6.png");
  REQUIRE_EQ(long_chunk[37], 'e');  // eXIf, whose memory libpng takes on the word of its length
  long_chunk[33] = 0x40;
  CHECK_REFUSED(decode_picture(long_chunk, "f"), "the chunk at byte 33 is longer than the file");
  CHECK_LT(peak_kib() - before, 64 * 1024);
}

TEST_CASE("endless scans are stopped") {
  // Repeat the last scan of a progressive picture many times.
  const ByteVector whole = golden_picture("progressive.jpg");
  std::size_t scan = whole.size();
  while (!(whole[scan - 2] == 0xff && whole[scan - 1] == 0xda)) --scan;
  const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(scan - 2);
  ByteVector bomb(whole.begin(), whole.end() - 2);
  for (int i = 0; i < 5'000; ++i) bomb.insert(bomb.end(), begin, whole.end() - 2);
  bomb.insert(bomb.end(), {0xff, 0xd9});
  CHECK_REFUSED(decode_picture(bomb, "bomb.jpg"), "bomb.jpg");
}

TEST_SUITE_END();

}  // namespace opencd::test
