// Single pictures: decoding JPEG and PNG into 8-bit RGB, turning and resizing them, as Pillow does
// with convert("RGB"), exif_transpose and resize(BILINEAR): grey is repeated, palettes are looked
// up, alpha is dropped, 16 bits keep their upper 8, CMYK is Adobe's inverted one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace opencd::data {

/// Rows of RGB triples from the top left.
struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> rgb;
};

/// More pixels than this are refused: what a picture claims to be must not decide how much memory
/// is taken.
constexpr std::size_t kMaxPixels = std::size_t{1} << 26;

/// EXIF's numbering of the eight ways a camera can be held; 1 is upright.
using Orientation = int;

/// The orientation in an EXIF block (TIFF header and first directory); 1 if there is none or the
/// block makes no sense, since a picture is not broken by that.
Orientation exif_orientation(std::span<const std::uint8_t> tiff);

/// The picture the right way up.
Picture turned(Picture picture, Orientation orientation);

/// A decoded picture and how the camera was held.
struct DecodedPicture {
  Picture picture;
  Orientation orientation = 1;
};

/// Width and height as stored, before turning.
struct PictureSize {
  std::size_t width = 0;
  std::size_t height = 0;
};

/// These throw FormatError without a file name, which `decode_picture` adds. A JPEG is decoded at 1/2,
/// 1/4 or 1/8 of its size while its shorter side stays at least twice `shorter_side` (0: never),
/// which no eye tells from decoding all of it before resizing.
DecodedPicture decode_jpeg(std::span<const std::uint8_t> file, std::size_t shorter_side);
DecodedPicture decode_png(std::span<const std::uint8_t> file);
PictureSize jpeg_size(std::span<const std::uint8_t> file);
PictureSize png_size(std::span<const std::uint8_t> file);

/// Decodes by what the bytes are, not by how the file is called, and turns the picture upright.
Picture decode_upright(std::span<const std::uint8_t> file, std::size_t shorter_side = 0);

/// The same with `name` in the complaint.
Picture decode_picture(std::span<const std::uint8_t> file,
                       const std::string& name,
                       std::size_t shorter_side = 0);

/// The same from the header alone.
PictureSize picture_size(std::span<const std::uint8_t> file, const std::string& name);

/// Pillow's antialiased bilinear filter, bit for bit.
Picture resize_bilinear(const Picture& picture, std::size_t width, std::size_t height);

/// The middle square of the picture at size x size pixels, as torchvision's Resize(size) and
/// CenterCrop(size) cut it.
std::vector<std::uint8_t> fit_square(Picture picture, std::size_t size);

}  // namespace opencd::data
