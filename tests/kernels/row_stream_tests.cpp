#include "kernels/row_stream.hpp"

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random.hpp"

#include <numeric>

namespace opencd::test {

namespace {

using kernels::PictureShape;

/// A set on the host whose every byte tells its row.
std::vector<std::uint8_t> host_set(std::size_t rows, const PictureShape& shape) {
  Random random(21);
  std::vector<std::uint8_t> bytes(rows * shape.size());
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return bytes;
}

kernels::RowStream::Fetch fetch_from(const std::vector<std::uint8_t>& set,
                                     const PictureShape& shape) {
  return [&set, size = shape.size()](std::int32_t row, std::span<std::uint8_t> pixels) {
    const auto first =
        set.begin() + static_cast<std::ptrdiff_t>(row) * static_cast<std::ptrdiff_t>(size);
    std::copy(first, first + static_cast<std::ptrdiff_t>(size), pixels.begin());
  };
}

}  // namespace

TEST_SUITE_BEGIN("kernels/row_stream");

TEST_CASE("a streamed epoch gives the same views as a set that lies on the device") {
  const PictureShape shape{32, 32, 3};
  const std::size_t count = 200;
  const std::size_t batch = 24;
  const std::vector<std::uint8_t> set = host_set(count, shape);
  kernels::Device& device = test_device();
  const kernels::Augmenter augmenter(device, kernels::augment_preset("opencd"), shape);
  const std::size_t view = augmenter.shape().size();
  kernels::Scratch scratch(device, augmenter.scratch_bytes(batch));

  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  Random random(4);
  for (std::size_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[random.below(static_cast<std::uint32_t>(i + 1))]);
  const kernels::AugmentKey key{.seed = 5, .epoch = 2, .view = 0};

  const auto resident = kernels::to_device(device, set);
  const auto rows = kernels::to_device(device, order);
  kernels::Buffer<float> expected(device, count * view);
  kernels::Buffer<float> actual(device, count * view);
  kernels::RowStream stream(device, shape, batch, fetch_from(set, shape));
  for (std::size_t first = 0; first < count; first += batch) {  // the last batch is shorter
    const std::size_t size = std::min(batch, count - first);
    const auto place = [&](const kernels::Buffer<float>& all) {
      return kernels::Rows<float>{all.view().slice(first * view, size * view).data, size, view};
    };
    augmenter.augment({resident, shape}, rows.view().slice(first, size), key, scratch,
                      place(expected));
    const auto streamed = stream.next(std::span(order).subspan(first, size));
    augmenter.augment(streamed.pictures, streamed.rows, key, scratch, place(actual));
  }
  CHECK(kernels::to_host(device, actual) == kernels::to_host(device, expected));
}

TEST_CASE("blocks are not overwritten while earlier batches are still in the queue") {
  const PictureShape shape{64, 64, 3};
  const std::size_t batch = 32;
  const std::vector<std::uint8_t> set = host_set(batch * 8, shape);
  kernels::Device& device = test_device();
  const kernels::Augmenter augmenter(
      device, {.mean = {0.0f, 0.0f, 0.0f}, .std = {1.0f, 1.0f, 1.0f}}, shape);
  kernels::Scratch scratch(device, augmenter.scratch_bytes(batch));
  kernels::Buffer<float> views(device, set.size());
  kernels::RowStream stream(device, shape, batch, fetch_from(set, shape));
  std::vector<std::int32_t> rows(batch);
  for (std::size_t step = 0; step < 8; ++step) {
    std::iota(rows.begin(), rows.end(), static_cast<std::int32_t>(step * batch));
    const auto streamed = stream.next(rows);
    const std::size_t size = batch * shape.size();
    augmenter.augment(streamed.pictures, streamed.rows, {}, scratch,
                      {views.view().slice(step * size, size).data, batch, shape.size()});
  }
  const std::vector<float> planes = kernels::to_host(device, views);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const std::size_t picture = i / shape.size();
    const std::size_t pixel = i % shape.size() / 3;
    const float got = planes[picture * shape.size() + i % 3 * shape.pixels() + pixel];
    wrong += std::abs(got * 255.0f - static_cast<float>(set[i])) > 0.01f ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("rejects a batch that is larger than its blocks") {
  const PictureShape shape{8, 8, 1};
  kernels::RowStream stream(test_device(), shape, 2, [](std::int32_t, std::span<std::uint8_t>) {});
  const std::vector<std::int32_t> rows{0, 1, 2};
  CHECK_THROWS_WITH_AS(stream.next(rows), "[row_stream] expected at most 2 rows, got 3",
                       ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
