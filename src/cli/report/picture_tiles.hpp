// Rows of a data set as one picture of equal tiles, inside the page: strips of a group's pictures, and
// the thumbnails of the map.
#pragma once

#include "data/image_set.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace opencd::cli::report {

struct PictureTiles {
  std::string address;      // data:image/png;base64,...
  std::size_t cell = 0;     // pixels a side of a tile
  std::size_t columns = 0;  // tiles in a line
  std::size_t count = 0;
};

/// The training rows `rows` in this order, each at most `cell` pixels a side, `columns` in a line.
PictureTiles picture_tiles(const data::ImageSet& set,
                           std::span<const std::uint32_t> rows,
                           std::size_t cell,
                           std::size_t columns);

/// The size of the thumbnails of `count` rows, so that a page stays small: at most 32 pixels.
std::size_t thumbnail_cell(const data::ImageShape& shape, std::size_t count);

}  // namespace opencd::cli::report
