#include "data/contact_sheet.hpp"

#include "data/png_writer.hpp"
#include "data/support/files.hpp"

namespace opencd::test {

using namespace data;

namespace {

Picture colour(
    std::size_t width, std::size_t height, std::uint8_t r, std::uint8_t g, std::uint8_t b) {
  Picture picture{width, height, {}};
  for (std::size_t i = 0; i < width * height; ++i) picture.rgb.insert(picture.rgb.end(), {r, g, b});
  return picture;
}

std::size_t count(const Picture& picture, std::uint8_t r, std::uint8_t g, std::uint8_t b) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3)
    found += picture.rgb[i] == r && picture.rgb[i + 1] == g && picture.rgb[i + 2] == b;
  return found;
}

}  // namespace

TEST_SUITE_BEGIN("data/contact_sheet");

TEST_CASE("a PNG that was written reads back the same") {
  const TempFolder folder;
  Picture picture{7, 5, ByteVector(105)};
  for (std::size_t i = 0; i < 105; ++i) picture.rgb[i] = static_cast<std::uint8_t>(i * 2);
  write_png(picture, folder.path() / "p.png");
  const Picture back = decode_picture(read_file(folder.path() / "p.png"), "p.png");
  CHECK_EQ(back.width, 7);
  CHECK_EQ(back.rgb, picture.rgb);
  picture.width = 8;
  CHECK_THROWS_AS(encode_png(picture), ShapeError);
  CHECK_REFUSED(write_png(back, folder.path() / "no" / "p.png"), "[write]");
}

TEST_CASE("every picture is on the sheet, enlarged by whole pixels or shrunk") {
  const std::vector<SheetLine> lines = {
      {"row 1", {colour(10, 10, 255, 0, 0), colour(10, 5, 0, 255, 0)}},
      {"row 2", {colour(400, 200, 0, 0, 255)}},
      {"row 3", {}},
  };
  for (const std::size_t columns : {1, 2, 3, 9}) {
    const Picture sheet = draw_sheet(lines, {.cell = 32, .columns = columns});
    CHECK_EQ(count(sheet, 255, 0, 0), 30 * 30);
    CHECK_EQ(count(sheet, 0, 255, 0), 30 * 15);
    CHECK_EQ(count(sheet, 0, 0, 255), 32 * 16);
    CHECK_GT(count(sheet, 0x20, 0x20, 0x20), 50);  // captions
  }
  CHECK_EQ(draw_sheet({}).rgb.empty(), false);
  CHECK_THROWS_AS(draw_sheet(lines, {.cell = 100'000}), UsageError);
}

TEST_CASE("text is cut at the edges and odd bytes are shown as question marks") {
  Picture paper = colour(20, 9, 255, 255, 255);
  draw_text(paper, 15, 4, "long text \x01\xff");
  draw_text(paper, 100, 100, "outside");
  Picture odd = colour(20, 9, 255, 255, 255);
  Picture question = odd;
  draw_text(odd, 0, 0, "\xff");
  draw_text(question, 0, 0, "?");
  CHECK_EQ(odd.rgb, question.rgb);
}

TEST_CASE("rows of one and three channels become pictures") {
  const ByteVector row = {1, 2, 3, 4, 5, 6};
  CHECK_EQ(picture_of_row(row, 1, 2, 3).rgb, row);
  CHECK_EQ(picture_of_row(std::span(row).first(2), 2, 1, 1).rgb, ByteVector{1, 1, 1, 2, 2, 2});
  CHECK_THROWS_AS(picture_of_row(row, 1, 1, 3), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
