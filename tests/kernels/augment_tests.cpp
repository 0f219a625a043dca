#include "kernels/augment.hpp"

#include "support/augment_golden.hpp"
#include "support/compare.hpp"

namespace opencd::test {

namespace {

using kernels::AugmentConfig;
using kernels::Crop;
using kernels::Padding;

/// Whatever the parameters ask for, at the size of the golden views.
AugmentConfig config_for(const AugmentGolden& golden, Crop crop) {
  return {.height = golden.view.height,
          .width = golden.view.width,
          .crop = crop,
          .jitter_probability = 1.0f,
          .grayscale_probability = 1.0f};
}

void check_exact(const std::string& name,
                 const AugmentConfig& config,
                 const AugmentGolden& golden) {
  CAPTURE(name);
  const GreyLevels levels = compare_grey_levels(render_golden(golden, config), golden.views);
  CAPTURE(levels.count);
  CHECK(levels.off[0] == 0);
}

}  // namespace

TEST_SUITE_BEGIN("kernels/augment");

TEST_CASE(
    "resized crops equal Pillow's, and are one grey level off at most where its order differs") {
  // Pillow 13 resizes columns first where the height shrinks more than the width; the versions that
  // published results came from never do, nor do we.
  for (const char* name : {"crop", "crop_large"}) {
    CAPTURE(name);
    const AugmentGolden golden = read_augment_golden(name);
    const std::vector<std::uint8_t> views =
        render_golden(golden, config_for(golden, Crop::resized));
    CHECK(compare_grey_levels(views, golden.views).off[1] == 0);
    for (std::size_t i = 0; i < golden.rows.size(); ++i) {
      const kernels::PixelBox box = golden.parameters[i].crop;
      const bool columns_first = box.height > golden.view.height &&
                                 box.height * golden.view.width > box.width * golden.view.height;
      if (columns_first) continue;
      CAPTURE(i);
      const auto first = static_cast<std::ptrdiff_t>(i * golden.view.size());
      const auto last = first + static_cast<std::ptrdiff_t>(golden.view.size());
      CHECK(std::equal(views.begin() + first, views.begin() + last, golden.views.begin() + first));
    }
  }
}

TEST_CASE("moved pictures equal torchvision's padded crops, with zeros and with reflection") {
  for (const Padding padding : {Padding::zero, Padding::reflect}) {
    const char* name = padding == Padding::zero ? "move_constant" : "move_reflect";
    const AugmentGolden golden = read_augment_golden(name);
    AugmentConfig config = config_for(golden, Crop::padded);
    config.padding_mode = padding;
    check_exact(name, config, golden);
  }
}

TEST_CASE("colour jitter equals torchvision's in every order, grayscale too") {
  const AugmentGolden golden = read_augment_golden("jitter");
  check_exact("jitter", config_for(golden, Crop::none), golden);
}

TEST_CASE("whole opencd views equal torchvision's, of colour and of grey pictures") {
  for (const char* name : {"opencd", "grey"}) {
    const AugmentGolden golden = read_augment_golden(name);
    check_exact(name, config_for(golden, Crop::resized), golden);
  }
}

TEST_CASE("blurred views are torchvision's but for values on the edge between two levels") {
  for (const auto& [name, size] : {std::pair{"blur", 3}, {"blur_large", 23}}) {
    CAPTURE(size);
    const AugmentGolden golden = read_augment_golden(name);
    AugmentConfig config = config_for(golden, Crop::none);
    config.blur_probability = 1.0f;
    config.blur_size = size;
    const GreyLevels levels = compare_grey_levels(render_golden(golden, config), golden.views);
    CHECK(levels.off[1] == 0);
    CHECK(levels.off[0] * 500 <= levels.count);
  }
}

TEST_CASE("strong operations and cutout equal Pillow's, alone and in pairs") {
  const AugmentGolden golden = read_augment_golden("strong");
  AugmentConfig config = config_for(golden, Crop::none);
  config.strong_operations = 2;
  config.cutout = 16;
  check_exact("strong", config, golden);
}

TEST_CASE("every colour turns its hue as Pillow does") {
  std::ifstream file = open_golden("augment/hue_sums.npy");
  const NpyArray<std::int64_t> sums = read_npy<std::int64_t>(file);
  const kernels::PictureShape shape{256, 256, 3};  // one picture for every red
  AugmentGolden colours{shape, shape, {}, {}, {}, {}};
  for (int i = 0; i < 256 * 256 * 256; ++i)
    for (const int shift : {16, 8, 0})
      colours.pictures.push_back(static_cast<std::uint8_t>(i >> shift));
  colours.views.resize(colours.pictures.size());
  for (std::size_t k = 0; k < sums.values.size(); k += 2) {
    const auto shift = static_cast<std::int32_t>(sums.values[k]);
    CAPTURE(shift);
    colours.rows.clear();
    colours.parameters.clear();
    for (int row = 0; row < 256; ++row) {
      colours.rows.push_back(row);
      kernels::AugmentParameters parameters;
      parameters.crop = {0, 0, shape.height, shape.width};
      parameters.jitter = 1;
      parameters.hue_shift = shift;
      colours.parameters.push_back(parameters);
    }
    const std::vector<std::uint8_t> turned =
        render_golden(colours, config_for(colours, Crop::none));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < turned.size(); ++i)
      sum += turned[i] * static_cast<std::int64_t>(i % 65521 + 1);
    CHECK(sum == sums.values[k + 1]);
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
