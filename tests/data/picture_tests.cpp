#include "data/picture.hpp"

#include "data/npy.hpp"
#include "data/support/pictures.hpp"

#include <cmath>

namespace opencd::test {

using namespace data;

namespace {

/// How far two pictures are apart, in grey levels.
struct Distance {
  int largest = 0;
  double mean = 0.0;
};

Distance distance(std::span<const std::uint8_t> actual, std::span<const std::uint8_t> expected) {
  Distance result;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const int difference = std::abs(actual[i] - expected[i]);
    result.largest = std::max(result.largest, difference);
    result.mean += static_cast<double>(difference) / static_cast<double>(actual.size());
  }
  return result;
}

Picture ramp(std::size_t width, std::size_t height) {
  Picture picture{width, height, ByteVector(width * height * 3)};
  for (std::size_t i = 0; i < picture.rgb.size(); ++i)
    picture.rgb[i] = static_cast<std::uint8_t>(i * 37 % 251);
  return picture;
}

}  // namespace

TEST_SUITE_BEGIN("data/picture");

TEST_CASE("every kind of picture is decoded, turned and resized as Pillow does, byte for byte") {
  const NpyArchive expected = parse_npz(golden_picture("expected.npz"), "expected.npz");
  REQUIRE_GT(expected.size(), 40);
  for (const auto& [key, array] : expected) {
    const std::string file = key.substr(0, key.find('@'));
    CAPTURE(key);
    const Picture picture = decode_picture(golden_picture(file), file);
    const bool full = key.ends_with("@full");
    const ByteVector pixels = full ? picture.rgb : fit_square(picture, array.shape[0]);
    if (full) {
      CHECK_EQ(picture.height, array.shape[0]);
      CHECK_EQ(picture.width, array.shape[1]);
    }
    REQUIRE_EQ(pixels.size(), array.bytes.size());
    CHECK_EQ(distance(pixels, array.bytes.view()).largest, 0);
  }
}

TEST_CASE("scaled decoding stays close to resizing the whole picture") {
  const ByteVector file = golden_picture("large.jpg");
  const ByteVector exact = fit_square(decode_picture(file, "large.jpg"), 24);
  const Picture scaled = decode_picture(file, "large.jpg", 24);
  CHECK_EQ(scaled.width, 105);  // a half; a quarter of 160 rows would be fewer than twice 24
  CHECK_EQ(scaled.height, 80);
  const Distance apart = distance(fit_square(scaled, 24), exact);
  CHECK_LE(apart.mean, 1.0);
  CHECK_LE(apart.largest, 12);
}

TEST_CASE("sizes are read from the header alone") {
  for (const char* name : {"rgb420.jpg", "exif6.jpg", "palette.png", "interlaced.png"}) {
    const PictureSize size = picture_size(golden_picture(name), name);
    CHECK_EQ(size.width, 53);
    CHECK_EQ(size.height, 38);
  }
}

TEST_CASE("a constant picture stays constant at any size") {
  for (const std::size_t from : {1, 2, 7, 64})
    for (const std::size_t to : {1, 3, 8, 50}) {
      const Picture grey{from, from, ByteVector(from * from * 3, 201)};
      CHECK_EQ(resize_bilinear(grey, to, to).rgb, ByteVector(to * to * 3, 201));
    }
}

TEST_CASE("turning eight ways is undone by the opposite turn") {
  const Picture picture = ramp(5, 3);
  for (const Orientation orientation : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const Orientation back = orientation == 6 ? 8 : orientation == 8 ? 6 : orientation;
    const Picture once = turned(picture, orientation);
    CHECK_EQ(once.width, orientation < 5 ? 5 : 3);
    CHECK_EQ(turned(once, back).rgb, picture.rgb);
  }
  CHECK_EQ(turned(picture, 0).rgb, picture.rgb);
  CHECK_EQ(turned(picture, 9).rgb, picture.rgb);
}

TEST_CASE("a long strip costs no more than its square") {
  const ByteVector square = fit_square(ramp(200'000, 1), 224);
  CHECK_EQ(square.size(), 224 * 224 * 3);
}

TEST_CASE("EXIF that makes no sense leaves the picture alone") {
  CHECK_EQ(exif_orientation({}), 1);
  // Little-endian; one entry: tag 0x0112, type 3, count 1, value 6.
  const ByteVector good = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12,
                           1,   3,   0,  1, 0, 0, 0, 6, 0, 0, 0};
  CHECK_EQ(exif_orientation(good), 6);
  ByteVector wrong = good;
  wrong[18] = 77;
  CHECK_EQ(exif_orientation(wrong), 1);
  wrong = good;
  wrong[7] = 0xff;  // the directory is far outside
  CHECK_EQ(exif_orientation(wrong), 1);
  for (std::size_t size = 0; size < 20; ++size)
    CHECK_EQ(exif_orientation(std::span(good).first(size)), 1);
}

TEST_SUITE_END();

}  // namespace opencd::test
