// JPEG through libjpeg-turbo. Its errors leave by longjmp, which must not pass over objects with
// destructors: everything between setjmp and the library lives in `Decoder`, outside those frames.
#include "data/picture.hpp"
#include "error.hpp"

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE

#include <jpeglib.h>

#include <algorithm>
#include <cstring>

namespace opencd::data {

namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr int kMaxScans = 200;  // real progressive files have about ten
constexpr unsigned kRowsAtOnce = 16;

struct Decoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf escape;
  char message[JMSG_LENGTH_MAX] = {};
  bool created = false;

  ~Decoder() {
    if (created) jpeg_destroy_decompress(&jpeg);
  }
};

Decoder& decoder_of(j_common_ptr common) { return *static_cast<Decoder*>(common->client_data); }

[[noreturn]] void leave(j_common_ptr common) {
  Decoder& decoder = decoder_of(common);
  if (decoder.message[0] == '\0') common->err->format_message(common, decoder.message);
  std::longjmp(decoder.escape, 1);
}

[[noreturn]] void leave_with(j_common_ptr common, const char* reason) {
  std::strncpy(decoder_of(common).message, reason, JMSG_LENGTH_MAX - 1);
  leave(common);
}

/// Warnings (level -1) are about damage that the library paints over. What Pillow paints over too
/// is let pass; the end of the file is not (see `refill`).
void ignore_message(j_common_ptr, int) {}

boolean refill(j_decompress_ptr jpeg) {
  leave_with(reinterpret_cast<j_common_ptr>(jpeg), "the file ends in the middle of the picture");
}

void skip(j_decompress_ptr jpeg, long count) {
  if (count <= 0) return;
  if (static_cast<std::size_t>(count) > jpeg->src->bytes_in_buffer) refill(jpeg);
  jpeg->src->next_input_byte += count;
  jpeg->src->bytes_in_buffer -= static_cast<std::size_t>(count);
}

void do_nothing(j_decompress_ptr) {}

/// A small file can ask for endless work by naming its scans over and over.
void count_scans(j_common_ptr common) {
  if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMaxScans)
    leave_with(common, "more scans than any real picture has");
}

void open(Decoder& decoder, std::span<const std::uint8_t> file, jpeg_source_mgr& source) {
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = leave;
  decoder.errors.emit_message = ignore_message;
  jpeg.client_data = &decoder;
  jpeg_create_decompress(&jpeg);
  decoder.created = true;
  decoder.progress.progress_monitor = count_scans;
  jpeg.progress = &decoder.progress;
  source.next_input_byte = file.data();
  source.bytes_in_buffer = file.size();
  source.init_source = do_nothing;
  source.fill_input_buffer = refill;
  source.skip_input_data = skip;
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = do_nothing;
  jpeg.src = &source;
}

/// Refuses sizes that the file's bytes cannot hold: a block of 64 pixels takes at least half a bit
/// in any mode of coding, so a byte never stands for more than 1024 pixels.
void check_size(Decoder& decoder, std::size_t file_bytes) {
  constexpr std::size_t kPixelsPerByte = 1024;
  constexpr std::size_t kSmall = std::size_t{1} << 22;
  const std::size_t pixels = std::size_t{decoder.jpeg.image_width} * decoder.jpeg.image_height;
  const auto common = reinterpret_cast<j_common_ptr>(&decoder.jpeg);
  if (pixels > kMaxPixels) leave_with(common, "the header asks for more pixels than are allowed");
  if (pixels > kSmall && pixels / kPixelsPerByte > file_bytes)
    leave_with(common, "the header asks for more pixels than the file can hold");
}

void choose_scale(jpeg_decompress_struct& jpeg, std::size_t shorter_side) {
  const std::size_t shorter = std::min(jpeg.image_width, jpeg.image_height);
  jpeg.scale_num = 1;
  jpeg.scale_denom = 1;
  while (shorter_side > 0 && jpeg.scale_denom < 8 &&
         shorter / (jpeg.scale_denom * 2) >= 2 * shorter_side)
    jpeg.scale_denom *= 2;
}

/// Reads the header and settles how to decode. Returns false after an error.
bool start(Decoder& decoder,
           std::span<const std::uint8_t> file,
           jpeg_source_mgr& source,
           std::size_t shorter_side) {
  if (setjmp(decoder.escape) != 0) return false;
  open(decoder, file, source);
  jpeg_save_markers(&decoder.jpeg, kExifMarker, 0xffff);
  jpeg_read_header(&decoder.jpeg, TRUE);
  check_size(decoder, file.size());
  const bool four = decoder.jpeg.num_components == 4;
  decoder.jpeg.out_color_space = four ? JCS_CMYK : JCS_RGB;
  choose_scale(decoder.jpeg, shorter_side);
  jpeg_calc_output_dimensions(&decoder.jpeg);
  return true;
}

/// Decodes all rows into `pixels`, which has room for them. Returns false after an error.
bool decode_rows(Decoder& decoder, std::uint8_t* pixels) {
  if (setjmp(decoder.escape) != 0) return false;
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg_start_decompress(&jpeg);
  const std::size_t stride =
      std::size_t{jpeg.output_width} * static_cast<std::size_t>(jpeg.output_components);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW rows[kRowsAtOnce];
    for (unsigned i = 0; i < kRowsAtOnce; ++i)
      rows[i] = pixels + std::min(jpeg.output_scanline + i, jpeg.output_height - 1) * stride;
    jpeg_read_scanlines(&jpeg, rows, kRowsAtOnce);
  }
  return true;
}

Orientation saved_orientation(const jpeg_decompress_struct& jpeg) {
  constexpr std::uint8_t kExif[] = {'E', 'x', 'i', 'f', 0, 0};
  for (auto* marker = jpeg.marker_list; marker; marker = marker->next) {
    const std::span<const std::uint8_t> bytes(marker->data, marker->data_length);
    if (marker->marker == kExifMarker && bytes.size() > 6 &&
        std::equal(std::begin(kExif), std::end(kExif), bytes.begin()))
      return exif_orientation(bytes.subspan(6));
  }
  return 1;
}

/// Adobe stores inks inverted. The product is Pillow's, rounded as it rounds.
std::vector<std::uint8_t> cmyk_to_rgb(const std::vector<std::uint8_t>& cmyk) {
  std::vector<std::uint8_t> rgb(cmyk.size() / 4 * 3);
  for (std::size_t pixel = 0; pixel < cmyk.size() / 4; ++pixel) {
    const int light = cmyk[pixel * 4 + 3];
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const int product = (255 - cmyk[pixel * 4 + channel]) * light + 128;
      const int ink = ((product >> 8) + product) >> 8;
      rgb[pixel * 3 + channel] = static_cast<std::uint8_t>(std::max(light - ink, 0));
    }
  }
  return rgb;
}

}  // namespace

DecodedPicture decode_jpeg(std::span<const std::uint8_t> file, std::size_t shorter_side) {
  Decoder decoder;
  jpeg_source_mgr source{};
  if (!start(decoder, file, source, shorter_side)) throw FormatError(decoder.message);
  DecodedPicture result;
  result.orientation = saved_orientation(decoder.jpeg);
  Picture& picture = result.picture;
  picture.width = decoder.jpeg.output_width;
  picture.height = decoder.jpeg.output_height;
  const std::size_t channels = decoder.jpeg.out_color_space == JCS_CMYK ? 4 : 3;
  picture.rgb.resize(picture.width * picture.height * channels);
  if (!decode_rows(decoder, picture.rgb.data())) throw FormatError(decoder.message);
  if (channels == 4) picture.rgb = cmyk_to_rgb(picture.rgb);
  return result;
}

PictureSize jpeg_size(std::span<const std::uint8_t> file) {
  Decoder decoder;
  jpeg_source_mgr source{};
  if (!start(decoder, file, source, 0)) throw FormatError(decoder.message);
  return {decoder.jpeg.image_width, decoder.jpeg.image_height};
}

}  // namespace opencd::data
