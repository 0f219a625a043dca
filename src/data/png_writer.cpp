#include "data/png_writer.hpp"

#include "data/file.hpp"
#include "error.hpp"

#include <png.h>

namespace opencd::data {

std::vector<std::uint8_t> encode_png(const Picture& picture) {
  if (picture.rgb.empty() || picture.rgb.size() != picture.width * picture.height * 3)
    fail<ShapeError>("[png] {} bytes for {} x {} pixels", picture.rgb.size(), picture.width,
                     picture.height);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> file(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = file.size();
  if (!png_image_write_to_memory(&image, file.data(), &size, 0, picture.rgb.data(), 0, nullptr))
    fail<Error>("[png] cannot encode: {}", image.message);
  file.resize(size);
  return file;
}

void write_png(const Picture& picture, const std::filesystem::path& path) {
  write_file(path, encode_png(picture));
}

}  // namespace opencd::data
