#include "data/contact_sheet.hpp"

#include "error.hpp"

#include <algorithm>
#include <utility>

namespace opencd::data {

namespace {

constexpr std::size_t kGap = 4;
constexpr std::size_t kCaptionHeight = kLetterHeight + 5;

/// Where a line's pictures go and how much room a line takes.
struct Layout {
  std::size_t cell = 0;
  std::size_t pictures = 0;  // most in a line
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::size_t top = 0;  // room for headings

  std::size_t line_width() const { return pictures * (cell + kGap) + 2 * kGap; }
  std::size_t line_height() const { return kCaptionHeight + cell + kGap; }
  std::size_t width() const { return columns * line_width() + kGap; }
  std::size_t height() const { return top + rows * line_height() + kGap; }
};

Layout lay_out(std::span<const SheetLine> lines, const SheetOptions& options) {
  Layout layout;
  layout.cell = options.cell;
  for (const SheetLine& line : lines)
    layout.pictures = std::max(layout.pictures, line.pictures.size());
  layout.columns =
      std::clamp<std::size_t>(options.columns, 1, std::max<std::size_t>(lines.size(), 1));
  layout.rows = (lines.size() + layout.columns - 1) / layout.columns;
  layout.top = options.headings.empty() ? kGap : kCaptionHeight + kGap;
  return layout;
}

/// The picture at most cell x cell: each pixel enlarged by a whole number, or shrunk.
Picture at_cell_size(const Picture& picture, std::size_t cell) {
  const std::size_t longer = std::max(picture.width, picture.height);
  if (longer > cell)
    return resize_bilinear(picture, std::max<std::size_t>(1, picture.width * cell / longer),
                           std::max<std::size_t>(1, picture.height * cell / longer));
  const std::size_t factor = cell / longer;
  Picture enlarged{picture.width * factor, picture.height * factor, {}};
  enlarged.rgb.reserve(enlarged.width * enlarged.height * 3);
  for (std::size_t y = 0; y < enlarged.height; ++y)
    for (std::size_t x = 0; x < enlarged.width; ++x) {
      const std::uint8_t* pixel = &picture.rgb[(y / factor * picture.width + x / factor) * 3];
      enlarged.rgb.insert(enlarged.rgb.end(), pixel, pixel + 3);
    }
  return enlarged;
}

}  // namespace

void paste(Picture& sheet, std::size_t x, std::size_t y, const Picture& picture) {
  for (std::size_t row = 0; row < picture.height; ++row)
    std::copy_n(picture.rgb.begin() + static_cast<std::ptrdiff_t>(row * picture.width * 3),
                picture.width * 3,
                sheet.rgb.begin() + static_cast<std::ptrdiff_t>(((y + row) * sheet.width + x) * 3));
}

Picture draw_sheet(std::span<const SheetLine> lines, const SheetOptions& options) {
  if (options.cell == 0) throw ShapeError("[sheet] expected cells of at least one pixel");
  const Layout layout = lay_out(lines, options);
  if (layout.width() > kMaxPixels / layout.height())
    fail<UsageError>("[sheet] {} x {} pixels are too many for a sheet; show fewer rows",
                     layout.width(), layout.height());
  Picture sheet{layout.width(), layout.height(),
                std::vector<std::uint8_t>(layout.width() * layout.height() * 3, 0xff)};
  for (std::size_t column = 0; column < layout.columns; ++column)
    for (std::size_t i = 0; i < options.headings.size(); ++i)
      draw_text(sheet, column * layout.line_width() + kGap + i * (layout.cell + kGap), kGap,
                options.headings[i].substr(0, layout.cell / kLetterWidth));
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::size_t left = line / layout.rows * layout.line_width() + kGap;
    const std::size_t top = layout.top + line % layout.rows * layout.line_height();
    const std::size_t letters = (layout.line_width() - kGap) / kLetterWidth;
    draw_text(sheet, left, top + 2, std::string_view(lines[line].caption).substr(0, letters));
    for (std::size_t i = 0; i < lines[line].pictures.size(); ++i)
      paste(sheet, left + i * (layout.cell + kGap), top + kCaptionHeight,
            at_cell_size(lines[line].pictures[i], layout.cell));
  }
  return sheet;
}

Picture picture_of_row(std::span<const std::uint8_t> row,
                       std::size_t height,
                       std::size_t width,
                       std::size_t channels) {
  if ((channels != 1 && channels != 3) || row.empty() || row.size() != height * width * channels)
    fail<ShapeError>("[sheet] {} bytes for {} x {} pixels of {} channels", row.size(), height,
                     width, channels);
  Picture picture{width, height, std::vector<std::uint8_t>(height * width * 3)};
  for (std::size_t i = 0; i < picture.rgb.size(); ++i)
    picture.rgb[i] = row[channels == 3 ? i : i / 3];
  return picture;
}

}  // namespace opencd::data
