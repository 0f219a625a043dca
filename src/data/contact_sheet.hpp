// Many small pictures with captions on one page, so that a person can see what the network sees.
#pragma once

#include "data/picture.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opencd::data {

/// One line of a sheet: what it is, then pictures side by side, e.g. a row and its views.
struct SheetLine {
  std::string caption;
  std::vector<Picture> pictures;
};

struct SheetOptions {
  std::size_t cell = 96;              ///< pixels a side that each picture is shown at
  std::size_t columns = 1;            ///< lines side by side
  std::vector<std::string> headings;  ///< above the pictures of a line; may be empty
};

/// Draws the sheet. Small pictures are enlarged without smoothing, so that their pixels can be
/// counted; large ones are shrunk.
Picture draw_sheet(std::span<const SheetLine> lines, const SheetOptions& options = {});

/// A picture from the bytes of a row of one or three channels.
Picture picture_of_row(std::span<const std::uint8_t> row,
                       std::size_t height,
                       std::size_t width,
                       std::size_t channels);

/// Copies a picture into a larger one, its upper left corner at (x, y).
void paste(Picture& sheet, std::size_t x, std::size_t y, const Picture& picture);

/// Writes text in letters of 5 x 7 pixels with its upper left corner at (x, y); what does not fit is
/// cut off, what is no ASCII is shown as '?'.
void draw_text(Picture& picture, std::size_t x, std::size_t y, std::string_view text);

constexpr std::size_t kLetterWidth = 6;  // with the gap to the next
constexpr std::size_t kLetterHeight = 7;

}  // namespace opencd::data
