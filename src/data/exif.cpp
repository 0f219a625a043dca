// How the camera was held: the one thing that is taken from EXIF.
#include "data/picture.hpp"

#include <utility>

namespace opencd::data {

namespace {

/// Numbers of a TIFF block, in its byte order, with zero for what lies outside.
class TiffReader {
 public:
  explicit TiffReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    little_ = !bytes.empty() && bytes[0] == 'I';
  }

  std::size_t number(std::size_t offset, std::size_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) return 0;
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | bytes_[offset + (little_ ? size - 1 - i : i)];
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool little_ = false;
};

}  // namespace

Orientation exif_orientation(std::span<const std::uint8_t> tiff) {
  constexpr std::size_t kMagic = 42;
  constexpr std::size_t kOrientationTag = 0x0112;
  constexpr std::size_t kShort = 3;
  constexpr std::size_t kEntryBytes = 12;
  const TiffReader reader(tiff);
  if (reader.number(2, 2) != kMagic) return 1;
  const std::size_t directory = reader.number(4, 4);
  const std::size_t entries = reader.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (reader.number(entry, 2) != kOrientationTag) continue;
    const std::size_t value = reader.number(entry + 8, 2);
    const bool sound = reader.number(entry + 2, 2) == kShort && value >= 1 && value <= 8;
    return sound ? static_cast<Orientation>(value) : 1;
  }
  return 1;
}

Picture turned(Picture picture, Orientation orientation) {
  if (orientation < 2 || orientation > 8) return picture;
  const bool sideways = orientation >= 5;
  Picture upright{sideways ? picture.height : picture.width,
                  sideways ? picture.width : picture.height,
                  std::vector<std::uint8_t>(picture.rgb.size())};
  // Which stored pixel belongs at (x, y): swap the axes, then mirror them.
  const bool mirror_x =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool mirror_y =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  std::size_t at = 0;
  for (std::size_t y = 0; y < upright.height; ++y)
    for (std::size_t x = 0; x < upright.width; ++x) {
      std::size_t source_x = sideways ? y : x;
      std::size_t source_y = sideways ? x : y;
      if (mirror_x) source_x = picture.width - 1 - source_x;
      if (mirror_y) source_y = picture.height - 1 - source_y;
      for (std::size_t channel = 0; channel < 3; ++channel)
        upright.rgb[at++] = picture.rgb[(source_y * picture.width + source_x) * 3 + channel];
    }
  return upright;
}

}  // namespace opencd::data
