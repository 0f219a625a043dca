// Pictures made from a seed, for tests and first tries: every class is a texture at its own scale
// in its own colour, every picture of it another phase, brightness and noise. A small network tells
// the classes apart, also in grey and mirrored; a single pixel does not. Integer arithmetic only:
// the same bytes on every machine.
#pragma once

#include "data/image_set.hpp"

#include <cstdint>
#include <string_view>

namespace opencd::data {

struct SyntheticConfig {
  std::uint32_t classes = 10;
  std::uint32_t per_class = 500;  ///< training rows; a fifth as many are held out
  std::uint32_t size = 16;        ///< pixels a side
  std::uint32_t seed = 0;
};

bool is_synthetic(std::string_view name);

/// Reads "synthetic[:classes=10,per-class=500,size=16,seed=0]"; UsageError for anything else.
SyntheticConfig parse_synthetic(std::string_view name);

ImageSet make_synthetic(const SyntheticConfig& config);

}  // namespace opencd::data
