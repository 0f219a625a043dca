#include "data/synthetic.hpp"

#include "data/class_names.hpp"
#include "error.hpp"
#include "philox.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <vector>

namespace opencd::data {

namespace {

constexpr std::string_view kName = "synthetic";
constexpr std::uint64_t kMostPixelBytes = std::uint64_t{1} << 33;

/// A wave of period 256 between -127 and 128.
int triangle(int phase) { return std::abs((phase & 255) - 128) * 2 - 127; }

/// One picture's share of randomness.
struct Sample {
  int phase_x;
  int phase_y;
  int brightness;  // added to every pixel
  int contrast;    // of 256
};

/// The value of texture `kind` at a point; `step` is how far a wave moves per pixel. Mirroring a
/// texture left to right gives the same texture.
int texture(int kind, int step, int x, int y, const Sample& sample) {
  const int u = x * step + sample.phase_x;
  const int v = y * step + sample.phase_y;
  switch (kind) {
    case 0: return triangle(u);                                       // upright stripes
    case 1: return triangle(v);                                       // level stripes
    case 2: return triangle(u) * triangle(v) / 128;                   // checks
    case 3: return std::max(triangle(u), triangle(v));                // grid
    case 4: return (triangle(u + v) + triangle(u - v)) / 2;           // diamonds
    default: return std::min(triangle(u + v), triangle(u - v)) + 40;  // dots on a slant
  }
}

constexpr int kTextures = 6;

/// A tint from -40 to 40 a channel. Steps of 97 on a wheel of 256 keep classes with close numbers
/// apart.
std::array<int, 3> tint_of(std::uint32_t label) {
  const int hue = static_cast<int>(label * 97u & 255u);
  return {triangle(hue) * 40 / 128, triangle(hue + 85) * 40 / 128, triangle(hue + 171) * 40 / 128};
}

void paint(std::uint32_t label,
           std::uint64_t item,
           const SyntheticConfig& config,
           std::uint8_t* row) {
  const RandomStream stream{config.seed, RandomPurpose::synthetic_data, 0, item};
  const RandomBits bits = stream.draw(0);
  const Sample sample{static_cast<int>(to_below(bits.word[0], 256)),
                      static_cast<int>(to_below(bits.word[1], 256)),
                      static_cast<int>(to_below(bits.word[2], 41)) - 20,
                      128 + static_cast<int>(to_below(bits.word[3], 128))};
  const int kind = static_cast<int>(label % kTextures);
  // Two to five waves across the picture, more for each round through the textures.
  const int waves = 2 + static_cast<int>(label / kTextures) % 4;
  const int step = std::max(1, 256 * waves / static_cast<int>(config.size));
  const std::array<int, 3> tint = tint_of(label);
  std::uint32_t index = 1;
  RandomBits noise{};
  for (int y = 0, pixel = 0; y < static_cast<int>(config.size); ++y) {
    for (int x = 0; x < static_cast<int>(config.size); ++x, ++pixel) {
      if (pixel % 4 == 0) noise = stream.draw(index++);
      const int grain = static_cast<int>(to_below(noise.word[pixel % 4], 49)) - 24;
      const int value = texture(kind, step, x, y, sample) * sample.contrast / 256;
      for (int channel = 0; channel < 3; ++channel) {
        const int shade =
            128 + value / 2 + tint[static_cast<std::size_t>(channel)] + sample.brightness + grain;
        *row++ = static_cast<std::uint8_t>(std::clamp(shade, 0, 255));
      }
    }
  }
}

/// Classes take turns, so that the first rows of a set hold all of them.
ImageRows paint_rows(const SyntheticConfig& config,
                     std::uint32_t per_class,
                     std::uint64_t first_item) {
  const std::size_t count = std::size_t{per_class} * config.classes;
  const std::size_t row_bytes = std::size_t{config.size} * config.size * 3;
  std::vector<std::uint8_t> pixels(count * row_bytes);
  ImageRows rows;
  rows.labels.resize(count);
  for (std::size_t row = 0; row < count; ++row) {
    const auto label = static_cast<std::uint32_t>(row % config.classes);
    rows.labels[row] = static_cast<std::int32_t>(label);
    paint(label, first_item + row, config, &pixels[row * row_bytes]);
  }
  rows.pixels = Bytes(std::move(pixels));
  return rows;
}

}  // namespace

bool is_synthetic(std::string_view name) {
  return name == kName || (name.starts_with(kName) && name[kName.size()] == ':');
}

SyntheticConfig parse_synthetic(std::string_view name) {
  SyntheticConfig config;
  const std::pair<std::string_view, std::uint32_t*> keys[] = {{"classes", &config.classes},
                                                              {"per-class", &config.per_class},
                                                              {"size", &config.size},
                                                              {"seed", &config.seed}};
  std::string_view rest = name.substr(std::min(name.size(), kName.size() + 1));
  while (!rest.empty()) {
    const std::string_view setting = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(setting.size() + 1, rest.size()));
    const std::string_view key = setting.substr(0, setting.find('='));
    const std::string_view value = setting.substr(std::min(setting.size(), key.size() + 1));
    const auto found = std::find_if(std::begin(keys), std::end(keys),
                                    [&](const auto& known) { return known.first == key; });
    if (found == std::end(keys))
      fail<UsageError>("[synthetic] expected classes, per-class, size or seed, got '{}'", key);
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, *found->second);
    if (value.empty() || stop != end || error != std::errc{})
      fail<UsageError>("[synthetic] {}: expected a whole number, got '{}'", key, value);
  }
  const std::uint64_t rows = std::uint64_t{config.classes} * config.per_class;
  if (config.classes < 1 || config.classes > 10'000 || config.per_class < 1 || config.size < 4 ||
      config.size > 1024 || rows > kMostPixelBytes / (std::uint64_t{config.size} * config.size * 3))
    fail<UsageError>(
        "[synthetic] expected 1 to 10000 classes, size 4 to 1024 and at most {} bytes of pixels",
        kMostPixelBytes);
  return config;
}

ImageSet make_synthetic(const SyntheticConfig& config) {
  ImageSet set;
  set.name = kName;
  set.kind = kName;
  set.shape = {config.size, config.size, 3};
  set.class_names = numbered_classes(config.classes);
  constexpr std::uint64_t kHeldOut = std::uint64_t{1} << 40;  // items no training row uses
  set.train = paint_rows(config, config.per_class, 0);
  set.test = paint_rows(config, config.per_class / 5, kHeldOut);
  return finish_image_set(std::move(set));
}

}  // namespace opencd::data
