#include "kernels/augment.hpp"

#include "support/device.hpp"
#include "support/random.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace opencd::test {

namespace {

using kernels::AugmentConfig;
using kernels::AugmentKey;
using kernels::PictureShape;

constexpr PictureShape kCifar{32, 32, 3};
constexpr std::size_t kCount = 300;

std::vector<std::uint8_t> random_pictures() {
  Random random(8);
  std::vector<std::uint8_t> bytes(kCount * kCifar.size());
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return bytes;
}

std::vector<std::int32_t> all_rows() {
  std::vector<std::int32_t> rows(kCount);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// The views of `order` in batches of `batch`, in the order of the rows' numbers.
std::vector<float> views_by_row(kernels::Device& device,
                                const AugmentConfig& config,
                                const std::vector<std::int32_t>& order,
                                std::size_t batch,
                                AugmentKey key = {.seed = 3, .epoch = 1, .view = 0}) {
  const kernels::Augmenter augmenter(device, config, kCifar);
  const std::size_t view = augmenter.shape().size();
  const auto pixels = kernels::to_device(device, random_pictures());
  const auto rows = kernels::to_device(device, order);
  kernels::Scratch scratch(device, augmenter.scratch_bytes(batch));
  kernels::Buffer<float> views(device, order.size() * view);
  for (std::size_t first = 0; first < order.size(); first += batch) {
    const std::size_t size = std::min(batch, order.size() - first);
    augmenter.augment({pixels, kCifar}, rows.view().slice(first, size), key, scratch,
                      {views.view().slice(first * view, size * view).data, size, view});
  }
  const std::vector<float> drawn = kernels::to_host(device, views);
  std::vector<float> sorted(drawn.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(
        drawn.begin() + static_cast<std::ptrdiff_t>(i * view), view,
        sorted.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(order[i]) * view));
  return sorted;
}

/// Every stage at once.
AugmentConfig everything() {
  AugmentConfig config = kernels::augment_preset("opencd");
  config.blur_probability = 0.5f;
  config.strong_operations = 2;
  config.cutout = 8;
  return config;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/augment_batches");

TEST_CASE("a row becomes the same view in any batch and in any order") {
  const std::vector<float> whole = views_by_row(test_device(), everything(), all_rows(), kCount);
  CHECK(views_by_row(test_device(), everything(), all_rows(), 7) == whole);
  std::vector<std::int32_t> reversed = all_rows();
  std::reverse(reversed.begin(), reversed.end());
  CHECK(views_by_row(test_device(), everything(), reversed, 64) == whole);
}

TEST_CASE("one core gives the same bits as the whole device") {
  if (test_device().info().compute_units < 2) SKIP_CASE("the device has one compute unit");
  kernels::Device part({.selector = "opencl:cpu:0.0"});
  for (const std::string& preset : kernels::augment_preset_names()) {
    CAPTURE(preset);
    const AugmentConfig config = kernels::augment_preset(preset);
    CHECK(views_by_row(part, config, all_rows(), 100) ==
          views_by_row(test_device(), config, all_rows(), 100));
  }
  CHECK(views_by_row(part, everything(), all_rows(), 100) ==
        views_by_row(test_device(), everything(), all_rows(), 100));
}

TEST_CASE("the device draws the same parameters as the host") {
  kernels::Device& device = test_device();
  const kernels::Augmenter augmenter(device, everything(), kCifar);
  std::vector<std::int32_t> numbers(5000);
  std::iota(numbers.begin(), numbers.end(), 123);
  const auto rows = kernels::to_device(device, numbers);
  const AugmentKey key{.seed = 77, .epoch = 9, .view = 1};
  kernels::Buffer<kernels::AugmentParameters> drawn(device, numbers.size());
  augmenter.draw_parameters(rows, key, drawn);
  const auto on_device = kernels::to_host(device, drawn);
  std::size_t different = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto on_host = draw(augmenter.plan(), key, static_cast<std::uint32_t>(numbers[i]));
    different += std::memcmp(&on_host, &on_device[i], sizeof on_host) != 0 ? 1 : 0;
  }
  CHECK(different == 0);
}

TEST_CASE("the two views of a row and the views of two epochs differ") {
  const AugmentConfig config = kernels::augment_preset("opencd");
  const auto first = views_by_row(test_device(), config, all_rows(), 100, {3, 1, 0});
  CHECK(views_by_row(test_device(), config, all_rows(), 100, {3, 1, 1}) != first);
  CHECK(views_by_row(test_device(), config, all_rows(), 100, {3, 2, 0}) != first);
  CHECK(views_by_row(test_device(), config, all_rows(), 100, {3, 1, 0}) == first);
}

TEST_CASE("the test preset is torchvision's ToTensor and Normalize") {
  const AugmentConfig config = kernels::augment_preset("test");
  const std::vector<std::uint8_t> pictures = random_pictures();
  const std::vector<float> views = views_by_row(test_device(), config, all_rows(), kCount);
  double worst = 0.0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::size_t channel = i % 3;
    const std::size_t pixel = i % kCifar.size() / 3;
    const float expected =
        (static_cast<float>(pictures[i]) / 255.0f - config.mean[channel]) / config.std[channel];
    const float got = views[i / kCifar.size() * kCifar.size() + channel * kCifar.pixels() + pixel];
    worst = std::max(worst, std::abs(static_cast<double>(got) - static_cast<double>(expected)));
  }
  CHECK(worst < 1e-6);
}

TEST_CASE("a steady call allocates nothing, and scratch_bytes is what it takes") {
  kernels::Device& device = test_device();
  const kernels::Augmenter augmenter(device, everything(), kCifar);
  const auto pixels = kernels::to_device(device, random_pictures());
  const auto rows = kernels::to_device(device, all_rows());
  kernels::Scratch scratch(device, augmenter.scratch_bytes(kCount));
  kernels::Buffer<float> views(device, kCount * augmenter.shape().size());
  const auto dst = views.rows(kCount, augmenter.shape().size());
  const std::size_t before = device.memory().allocations;
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
    augmenter.augment({pixels, kCifar}, rows, {.epoch = epoch}, scratch, dst);
  CHECK(device.memory().allocations == before);
  CHECK(scratch.peak() == scratch.capacity());
  CHECK(scratch.used() == 0);
}

TEST_CASE("an empty batch is no work, and wrong sizes are refused") {
  kernels::Device& device = test_device();
  const kernels::Augmenter augmenter(device, kernels::augment_preset("opencd"), kCifar);
  const auto pixels = kernels::to_device(device, random_pictures());
  const auto rows = kernels::to_device(device, all_rows());
  kernels::Scratch scratch(device, augmenter.scratch_bytes(4));
  kernels::Buffer<float> views(device, 4 * augmenter.shape().size());
  const auto few = rows.view().slice(0, 4);
  const auto dst = views.rows(4, augmenter.shape().size());
  augmenter.augment({pixels, kCifar}, rows.view().slice(0, 0), {}, scratch,
                    {views.data(), 0, augmenter.shape().size()});
  CHECK_THROWS_AS(augmenter.augment({pixels, {28, 28, 3}}, few, {}, scratch, dst), ShapeError);
  CHECK_THROWS_AS(augmenter.augment({pixels, kCifar}, rows.view().slice(0, 3), {}, scratch, dst),
                  ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
