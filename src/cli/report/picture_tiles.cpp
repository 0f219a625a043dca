#include "cli/report/picture_tiles.hpp"

#include "data/contact_sheet.hpp"
#include "data/png_writer.hpp"
#include "files/base64.hpp"

#include <algorithm>
#include <cmath>

namespace opencd::cli::report {

namespace {

constexpr std::size_t kLargestThumbnail = 32;
constexpr std::size_t kSmallestThumbnail = 12;
constexpr double kThumbnailPixels = 1.3e6;  // of all; about three bytes each in the page

/// The row, shrunk if it is larger than the cell.
data::Picture tile(const data::ImageSet& set, std::uint32_t row, std::size_t cell) {
  data::Picture picture = data::picture_of_row(set.train_row(row), set.shape.height,
                                               set.shape.width, set.shape.channels);
  const std::size_t longer = std::max(picture.width, picture.height);
  if (longer <= cell) return picture;
  return data::resize_bilinear(picture, std::max<std::size_t>(1, picture.width * cell / longer),
                               std::max<std::size_t>(1, picture.height * cell / longer));
}

}  // namespace

PictureTiles picture_tiles(const data::ImageSet& set,
                           std::span<const std::uint32_t> rows,
                           std::size_t cell,
                           std::size_t columns) {
  if (rows.empty()) return {};
  cell = std::min(cell, std::max(set.shape.height, set.shape.width));
  columns = std::min(columns, rows.size());
  const std::size_t lines = (rows.size() + columns - 1) / columns;
  data::Picture sheet{columns * cell, lines * cell,
                      std::vector<std::uint8_t>(columns * lines * cell * cell * 3, 0)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const data::Picture picture = tile(set, rows[i], cell);
    data::paste(sheet, i % columns * cell + (cell - picture.width) / 2,
                i / columns * cell + (cell - picture.height) / 2, picture);
  }
  return {"data:image/png;base64," + files::base64(data::encode_png(sheet)), cell, columns,
          rows.size()};
}

std::size_t thumbnail_cell(const data::ImageShape& shape, std::size_t count) {
  const double room =
      std::sqrt(kThumbnailPixels / static_cast<double>(std::max<std::size_t>(count, 1)));
  return std::min(
      std::max(shape.height, shape.width),
      std::clamp(static_cast<std::size_t>(room), kSmallestThumbnail, kLargestThumbnail));
}

}  // namespace opencd::cli::report
