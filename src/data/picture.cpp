#include "data/picture.hpp"

#include "error.hpp"

#include <algorithm>
#include <utility>

namespace opencd::data {

namespace {

enum class Kind { jpeg, png };

Kind kind_of(std::span<const std::uint8_t> file) {
  constexpr std::uint8_t kPng[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (file.empty()) throw FormatError("the file is empty");
  if (file.size() >= 3 && file[0] == 0xff && file[1] == 0xd8 && file[2] == 0xff) return Kind::jpeg;
  if (file.size() >= 8 && std::equal(std::begin(kPng), std::end(kPng), file.begin()))
    return Kind::png;
  throw FormatError("expected JPEG or PNG, found neither at byte 0");
}

}  // namespace

Picture decode_upright(std::span<const std::uint8_t> file, std::size_t shorter_side) {
  DecodedPicture decoded =
      kind_of(file) == Kind::jpeg ? decode_jpeg(file, shorter_side) : decode_png(file);
  return turned(std::move(decoded.picture), decoded.orientation);
}

Picture decode_picture(std::span<const std::uint8_t> file,
                       const std::string& name,
                       std::size_t shorter_side) {
  try {
    return decode_upright(file, shorter_side);
  } catch (const FormatError& error) {
    fail<FormatError>("[picture] {}: {}", name, error.what());
  }
}

PictureSize picture_size(std::span<const std::uint8_t> file, const std::string& name) {
  try {
    return kind_of(file) == Kind::jpeg ? jpeg_size(file) : png_size(file);
  } catch (const FormatError& error) {
    fail<FormatError>("[picture] {}: {}", name, error.what());
  }
}

}  // namespace opencd::data
