// PNG through libpng. Its errors leave by longjmp, as libjpeg's do: see jpeg.cpp.
#include "data/picture.hpp"
#include "error.hpp"

#include <png.h>

#include <algorithm>
#include <cstring>

namespace opencd::data {

namespace {

struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::uint8_t> rest;
  std::size_t file_bytes = 0;
  char message[200] = {};
  std::vector<png_bytep> rows;

  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void leave(png_structp png, png_const_charp reason) {
  auto& decoder = *static_cast<Decoder*>(png_get_error_ptr(png));
  std::strncpy(decoder.message, reason, sizeof(decoder.message) - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep dst, std::size_t count) {
  auto& decoder = *static_cast<Decoder*>(png_get_io_ptr(png));
  if (count > decoder.rest.size()) leave(png, "the file ends in the middle of the picture");
  std::memcpy(dst, decoder.rest.data(), count);
  decoder.rest = decoder.rest.subspan(count);
}

/// The library takes memory for some chunks on their word, so their lengths are checked first.
void check_chunks(std::span<const std::uint8_t> file) {
  constexpr std::size_t kSignature = 8;
  constexpr std::size_t kAround = 12;  // length, kind and checksum
  for (std::size_t at = kSignature; at < file.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4 && at + i < file.size(); ++i) length = length << 8 | file[at + i];
    if (file.size() - at < kAround || file.size() - at - kAround < length)
      fail<FormatError>("the chunk at byte {} is longer than the file", at);
    if (std::equal(file.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                   file.begin() + static_cast<std::ptrdiff_t>(at) + 8, "IEND"))
      return;  // what follows is not looked at
    at += kAround + length;
  }
}

/// The pixels as stored are at most what deflate can expand the file to.
void check_size(const Decoder& decoder) {
  constexpr std::size_t kDeflateLimit = 1032;
  const std::size_t height = png_get_image_height(decoder.png, decoder.info);
  const std::size_t pixels = png_get_image_width(decoder.png, decoder.info) * height;
  if (pixels > kMaxPixels) leave(decoder.png, "the header asks for more pixels than are allowed");
  const std::size_t stored = png_get_rowbytes(decoder.png, decoder.info) * height;
  if (stored / kDeflateLimit > decoder.file_bytes)
    leave(decoder.png, "the header asks for more pixels than the file can hold");
}

/// Every kind of pixel becomes 8-bit RGB.
void choose_transforms(png_structp png, png_infop info) {
  const png_byte colour = png_get_color_type(png, info);
  png_set_strip_16(png);
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if ((colour & PNG_COLOR_MASK_COLOR) == 0) {
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_gray_to_rgb(png);
  }
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

/// Reads the header and settles how to decode. Returns false after an error.
bool start(Decoder& decoder) {
  constexpr png_uint_32 kMaxSide = 1 << 20;
  constexpr png_alloc_size_t kMaxChunk = 1 << 23;
  constexpr png_uint_32 kMaxChunks = 128;
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_set_read_fn(decoder.png, &decoder, read_bytes);
  png_set_user_limits(decoder.png, kMaxSide, kMaxSide);
  png_set_chunk_malloc_max(decoder.png, kMaxChunk);
  png_set_chunk_cache_max(decoder.png, kMaxChunks);
  png_read_info(decoder.png, decoder.info);
  check_size(decoder);
  choose_transforms(decoder.png, decoder.info);
  return true;
}

bool decode_rows(Decoder& decoder) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  png_read_image(decoder.png, decoder.rows.data());
  png_read_end(decoder.png, decoder.info);
  return true;
}

Orientation saved_orientation(const Decoder& decoder) {
  png_uint_32 size = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(decoder.png, decoder.info, &size, &exif) == 0) return 1;
  return exif_orientation({exif, size});
}

void open(Decoder& decoder, std::span<const std::uint8_t> file) {
  check_chunks(file);
  decoder.rest = file;
  decoder.file_bytes = file.size();
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, leave, ignore_warning);
  decoder.info = decoder.png ? png_create_info_struct(decoder.png) : nullptr;
  if (!decoder.info) throw Error("[png] no memory");
  if (!start(decoder)) throw FormatError(decoder.message);
}

PictureSize size_of(const Decoder& decoder) {
  return {png_get_image_width(decoder.png, decoder.info),
          png_get_image_height(decoder.png, decoder.info)};
}

}  // namespace

DecodedPicture decode_png(std::span<const std::uint8_t> file) {
  Decoder decoder;
  open(decoder, file);
  const auto [width, height] = size_of(decoder);
  const std::size_t stride = width * 3;
  if (png_get_rowbytes(decoder.png, decoder.info) != stride)
    throw FormatError("a kind of pixel that is not known");
  DecodedPicture result;
  result.picture = {width, height, std::vector<std::uint8_t>(stride * height)};
  for (std::size_t y = 0; y < height; ++y) decoder.rows.push_back(&result.picture.rgb[y * stride]);
  if (!decode_rows(decoder)) throw FormatError(decoder.message);
  result.orientation = saved_orientation(decoder);
  return result;
}

PictureSize png_size(std::span<const std::uint8_t> file) {
  Decoder decoder;
  open(decoder, file);
  return size_of(decoder);
}

}  // namespace opencd::data
