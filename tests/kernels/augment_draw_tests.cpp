#include "kernels/augment_plan.hpp"

#include "error.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace opencd::test {

namespace {

using kernels::augment_preset;
using kernels::AugmentConfig;
using kernels::AugmentParameters;
using kernels::AugmentPlan;
using kernels::Crop;
using kernels::PictureShape;

constexpr PictureShape kCifar{32, 32, 3};
constexpr int kDraws = 100'000;

/// Draws of the preset for `count` rows, epoch 3.
std::vector<AugmentParameters> draws(const AugmentConfig& config,
                                     int count = kDraws,
                                     PictureShape shape = kCifar) {
  const AugmentPlan plan = make_augment_plan(config, shape);
  std::vector<AugmentParameters> result;
  for (int row = 0; row < count; ++row)
    result.push_back(
        draw(plan, {.seed = 7, .epoch = 3, .view = 1}, static_cast<std::uint32_t>(row)));
  return result;
}

/// The share of draws for which `holds`.
template <class Holds>
double share(const std::vector<AugmentParameters>& all, Holds holds) {
  double count = 0.0;
  for (const AugmentParameters& p : all) count += holds(p) ? 1.0 : 0.0;
  return count / static_cast<double>(all.size());
}

/// sum (count - expected)^2 / expected over cells that should be equally full; close to the number
/// of cells minus one, with a variance of twice that.
double chi_square(const std::vector<double>& counts) {
  double total = 0.0;
  for (const double count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0.0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

/// Five standard deviations above what an even distribution gives.
double chi_square_limit(std::size_t cells) {
  const double freedom = static_cast<double>(cells) - 1.0;
  return freedom + 5.0 * std::sqrt(2.0 * freedom);
}

template <class Value>
void check_uniform(const std::vector<AugmentParameters>& all,
                   double low,
                   double high,
                   Value value) {
  std::vector<double> cells(16, 0.0);
  for (const AugmentParameters& p : all) {
    const double place = (value(p) - low) / (high - low);
    CHECK(place >= 0.0);
    CHECK(place <= 1.0);
    ++cells[std::min<std::size_t>(static_cast<std::size_t>(place * 16.0), 15)];
  }
  CHECK(chi_square(cells) < chi_square_limit(cells.size()));
}

/// torchvision's random resized crop in double precision with its own generator.
kernels::PixelBox reference_crop(Random& random, const AugmentConfig& config, PictureShape shape) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = random.uniform(double{config.scale.low}, double{config.scale.high}) *
                        shape.height * shape.width;
    const double ratio = std::exp(
        random.uniform(std::log(double{config.ratio.low}), std::log(double{config.ratio.high})));
    const int width = static_cast<int>(std::lround(std::sqrt(area * ratio)));
    const int height = static_cast<int>(std::lround(std::sqrt(area / ratio)));
    if (width > shape.width || height > shape.height) continue;
    return {static_cast<int>(random.below(static_cast<std::uint32_t>(shape.height - height + 1))),
            static_cast<int>(random.below(static_cast<std::uint32_t>(shape.width - width + 1))),
            height, width};
  }
  return {0, 0, shape.height, shape.width};
}

}  // namespace

TEST_SUITE_BEGIN("kernels/augment_draw");

TEST_CASE("events happen as often as asked") {
  const double error = 5.0 * std::sqrt(0.25 / kDraws);
  const auto all = draws(augment_preset("opencd"));
  CHECK(share(all, [](auto& p) { return p.flip; }) == doctest::Approx(0.5).epsilon(2 * error));
  CHECK(std::abs(share(all, [](auto& p) { return p.jitter; }) - 0.8) < error);
  CHECK(std::abs(share(all, [](auto& p) { return p.grayscale; }) - 0.25) < error);
  CHECK(share(all, [](auto& p) { return p.blur != kernels::kNone; }) == 0.0);
  AugmentConfig always = augment_preset("simclr");
  always.flip_probability = 1.0f;
  always.blur_probability = 1.0f;
  const auto sure = draws(always, 1000);
  CHECK(share(sure, [](auto& p) { return p.flip && p.blur != kernels::kNone; }) == 1.0);
}

TEST_CASE("jitter factors are uniform in their ranges and orders equally likely") {
  const auto all = draws(augment_preset("opencd"));
  const auto factor = [](std::int32_t value) { return value / double{kernels::kFactorOne}; };
  check_uniform(all, 0.5999, 1.4001, [&](auto& p) { return factor(p.brightness); });
  check_uniform(all, 0.5999, 1.4001, [&](auto& p) { return factor(p.contrast); });
  check_uniform(all, 0.5999, 1.4001, [&](auto& p) { return factor(p.saturation); });

  std::map<std::array<int, 4>, double> orders;
  for (const AugmentParameters& p : all) {
    std::array<int, 4> order{};
    for (std::size_t k = 0; k < 4; ++k) order[k] = static_cast<int>(p.order[k]);
    ++orders[order];
  }
  CHECK(orders.size() == 24);
  std::vector<double> counts;
  for (const auto& [order, count] : orders) {
    std::array<int, 4> seen{};
    for (const int operation : order) ++seen[static_cast<std::size_t>(operation)];
    CHECK(seen == std::array<int, 4>{1, 1, 1, 1});
    counts.push_back(count);
  }
  CHECK(chi_square(counts) < chi_square_limit(counts.size()));
}

TEST_CASE("hue shifts are 255 x rounded towards zero for x uniform in -0.1 .. 0.1") {
  std::vector<double> counts(51, 0.0);
  for (const AugmentParameters& p : draws(augment_preset("opencd"))) {
    const int shift = p.hue_shift > 127 ? p.hue_shift - 256 : p.hue_shift;
    REQUIRE(std::abs(shift) <= 25);
    ++counts[static_cast<std::size_t>(shift + 25)];
  }
  CHECK(counts[25] == doctest::Approx(2.0 * counts[20]).epsilon(0.15));  // both sides of zero
  counts[25] /= 2.0;
  counts.erase(counts.begin());  // +-25 is only half a step wide
  counts.pop_back();
  CHECK(chi_square(counts) < chi_square_limit(counts.size()));

  AugmentConfig still = augment_preset("opencd");
  still.hue = 0.0f;
  CHECK(share(draws(still, 1000), [](auto& p) { return p.hue_shift == kernels::kNone; }) == 1.0);
}

TEST_CASE("crop boxes are distributed as torchvision's") {
  const AugmentConfig config = augment_preset("opencd");
  for (const PictureShape shape : {kCifar, PictureShape{200, 300, 3}}) {
    CAPTURE(shape.width);
    Random random(11);
    // Two samples of equal size: the sum of (a - b)^2 / (a + b) over cells is a chi-square.
    const int cells = 16;
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> samples;
    const auto count = [&](const kernels::PixelBox& box, bool ours) {
      const auto add = [&](const char* what, double place) {
        auto& [a, b] = samples[what];
        a.resize(cells), b.resize(cells);
        ++(ours ? a : b)[static_cast<std::size_t>(std::min(place, 0.999) * cells)];
      };
      add("height", static_cast<double>(box.height - 1) / shape.height);
      add("width", static_cast<double>(box.width - 1) / shape.width);
      add("top", static_cast<double>(box.top) / shape.height);
      add("left", static_cast<double>(box.left) / shape.width);
      add("area",
          static_cast<double>(box.height * box.width) / static_cast<double>(shape.pixels() + 1));
    };
    for (const AugmentParameters& p : draws(config, kDraws, shape)) {
      REQUIRE((p.crop.top >= 0 && p.crop.top + p.crop.height <= shape.height));
      REQUIRE((p.crop.left >= 0 && p.crop.left + p.crop.width <= shape.width));
      count(p.crop, true);
      count(reference_crop(random, config, shape), false);
    }
    for (const auto& [what, pair] : samples) {
      CAPTURE(what);
      double sum = 0.0;
      for (std::size_t k = 0; k < cells; ++k)
        if (const double both = pair.first[k] + pair.second[k]; both > 0.0)
          sum += (pair.first[k] - pair.second[k]) * (pair.first[k] - pair.second[k]) / both;
      CHECK(sum < chi_square_limit(cells));
    }
  }
}

TEST_CASE("a crop that cannot fit falls back to the largest centred box") {
  AugmentConfig config = augment_preset("opencd");
  config.scale = {1.0f, 1.0f};
  const auto wide = draws(config, 100, {20, 100, 3});
  CHECK(share(wide, [](auto& p) {
          return p.crop.height == 20 && p.crop.width == 27 && p.crop.top == 0 && p.crop.left == 36;
        }) == 1.0);
  const auto tall = draws(config, 100, {100, 20, 3});
  CHECK(share(tall, [](auto& p) {
          return p.crop.height == 27 && p.crop.width == 20 && p.crop.top == 36 && p.crop.left == 0;
        }) == 1.0);
}

TEST_CASE("shifts of padded crops are uniform") {
  for (const char* preset : {"orca", "fixmatch-weak", "fixmatch-strong"}) {
    std::vector<double> counts(81, 0.0);
    for (const AugmentParameters& p : draws(augment_preset(preset)))
      ++counts[static_cast<std::size_t>((p.crop.top + 4) * 9 + p.crop.left + 4)];
    CHECK(chi_square(counts) < chi_square_limit(counts.size()));
  }
}

TEST_CASE("strong operations, levels and signs are uniform and applied half the time") {
  const auto all = draws(augment_preset("fixmatch-strong"));
  for (std::size_t slot = 0; slot < 2; ++slot) {
    std::vector<double> counts(14 * 9 * 2, 0.0);
    double applied = 0.0;
    for (const AugmentParameters& p : all) {
      const std::int32_t place = p.strong[slot];
      if (place == kernels::kNone) continue;
      const int level = place / 2 % 10;
      REQUIRE((level >= 1 && level <= 9 && place / 20 < 14));
      ++counts[static_cast<std::size_t>((place / 20 * 9 + level - 1) * 2 + place % 2)];
      ++applied;
    }
    CHECK(std::abs(applied / kDraws - 0.5) < 0.008);
    CHECK(chi_square(counts) < chi_square_limit(counts.size()));
  }
}

TEST_CASE("cutouts lie inside the view and cover every pixel") {
  std::array<double, 32> covered{};
  for (const AugmentParameters& p : draws(augment_preset("fixmatch-strong"))) {
    const kernels::PixelBox& box = p.cutout;
    REQUIRE((box.top >= 0 && box.left >= 0 && box.top + box.height <= 32));
    REQUIRE((box.width >= 8 && box.width <= 17 && box.left + box.width <= 32));
    for (int x = box.left; x < box.left + box.width; ++x) ++covered[static_cast<std::size_t>(x)];
  }
  for (const double count : covered) CHECK(count > 0.25 * kDraws);
}

TEST_CASE("views, epochs, rows and seeds are independent of each other") {
  const AugmentPlan plan = make_augment_plan(augment_preset("opencd"), kCifar);
  const auto flips = [&](kernels::AugmentKey key, std::uint32_t first_row) {
    std::vector<double> values;
    for (std::uint32_t row = 0; row < 20'000; ++row)
      values.push_back(draw(plan, key, first_row + row).flip ? 1.0 : -1.0);
    return values;
  };
  const auto base = flips({1, 2, 0}, 0);
  for (const auto& other :
       {flips({1, 2, 1}, 0), flips({1, 3, 0}, 0), flips({2, 2, 0}, 0), flips({1, 2, 0}, 1)}) {
    double inner = 0.0;
    for (std::size_t i = 0; i < base.size(); ++i) inner += base[i] * other[i];
    CHECK(std::abs(inner / 20'000) < 5.0 / std::sqrt(20'000.0));
  }
  CHECK(flips({1, 2, 0}, 0) == base);
}

TEST_CASE("switching a stage on leaves the other stages' draws as they were") {
  AugmentConfig config = augment_preset("opencd");
  const auto before = draws(config, 1000);
  config.blur_probability = 1.0f;
  config.cutout = 8;
  config.strong_operations = 2;
  const auto after = draws(config, 1000);
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(before[i].crop.left == after[i].crop.left);
    CHECK(before[i].brightness == after[i].brightness);
    CHECK(before[i].grayscale == after[i].grayscale);
  }
}

TEST_CASE("fixed-point powers and roots agree with double precision") {
  for (int x = -(2 << 24); x <= (2 << 24); x += 9973) {
    const double exact = std::exp2(std::ldexp(x, -24));
    CHECK(std::abs(std::ldexp(static_cast<double>(kernels::exp2_fixed(x)), -16) - exact) <
          std::ldexp(1.0, -16) + std::ldexp(exact, -21));
  }
  Random random(3);
  for (int i = 0; i < 10'000; ++i) {
    const double root = random.uniform(0.0, 4096.0);
    const auto square = static_cast<std::uint64_t>(std::ldexp(root * root, 36));
    CHECK(std::abs(kernels::rounded_root(square) - root) <= 0.5 + 1e-9);
  }
}

TEST_CASE("rejects settings that make no sense, with the field's name") {
  const auto refused = [](auto change) {
    AugmentConfig config = augment_preset("opencd");
    change(config);
    CHECK_THROWS_AS(make_augment_plan(config, kCifar), UsageError);
  };
  refused([](auto& c) { c.flip_probability = 1.5f; });
  refused([](auto& c) { c.scale = {0.0f, 1.0f}; });
  refused([](auto& c) { c.ratio = {2.0f, 1.0f}; });
  refused([](auto& c) { c.brightness = {0.5f, 4.0f}; });
  refused([](auto& c) { c.hue = 0.6f; });
  refused([](auto& c) { c.crop = Crop::none; });  // 28 x 28 of a 32 x 32 picture
  refused([](auto& c) { c.blur_probability = 0.5f, c.blur_size = 4; });
  refused([](auto& c) { c.strong_operations = 3; });
  CHECK_THROWS_AS(make_augment_plan(augment_preset("test"), {32, 32, 4}), UsageError);
  CHECK_THROWS_AS(make_augment_plan(augment_preset("test"), {0, 32, 3}), UsageError);
  CHECK_THROWS_WITH_AS(
      augment_preset("opncd"),
      "[augment] expected one of opencd, opencd-strong, orca, simclr, fixmatch-weak, "
      "fixmatch-strong, test, got \"opncd\"",
      UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
