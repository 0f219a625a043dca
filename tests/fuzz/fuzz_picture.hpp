// Pictures: decoded, turned upright and resized, as folders of them are.
#pragma once

#include "data/picture.hpp"
#include "fuzz.hpp"

#include <algorithm>
#include <utility>

namespace opencd::fuzz {

/// `begin` is how files of the kind begin: bytes that do not are the other target's.
inline int try_picture(std::span<const std::uint8_t> file, std::span<const std::uint8_t> begin) {
  if (file.size() < begin.size() || !std::equal(begin.begin(), begin.end(), file.begin())) return 0;
  try_to([&] { data::picture_size(file, kName); });
  return try_to([&] {
    data::Picture picture = data::decode_picture(file, kName, 8);
    if (picture.rgb.size() != picture.width * picture.height * 3) __builtin_trap();
    if (data::fit_square(std::move(picture), 8).size() != 8 * 8 * 3) __builtin_trap();
  });
}

}  // namespace opencd::fuzz
