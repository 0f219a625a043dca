#include "kernels/norm.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <limits>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::NormRecord;
using kernels::Scratch;
using kernels::View;

NormRecord norm_of(const std::vector<float>& x) {
  const auto src = kernels::to_device(test_device(), x);
  Scratch scratch(test_device(), kernels::norm_scratch_bytes(x.size()));
  Buffer<NormRecord> record(test_device(), 1);
  kernels::squared_norm(test_device(), scratch, src, record);
  return kernels::to_host(test_device(), record).front();
}

}  // namespace

TEST_SUITE_BEGIN("kernels/norm");

TEST_CASE("the squared norm matches the double reference at awkward sizes") {
  std::vector<std::size_t> sizes = awkward_sizes();
  sizes.insert(sizes.end(), {8191, 8192, 8193, 5'000'000});
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    Random random(51);
    const std::vector<float> x = random.normals(size);
    double expected = 0.0;
    for (const float value : x) expected += static_cast<double>(value) * value;
    const NormRecord record = norm_of(x);
    CHECK_EQ(record.bad, 0);
    CHECK(record.squares == doctest::Approx(expected).epsilon(1e-5));
  }
}

TEST_CASE("several parts have one norm, and what lies between them does not count") {
  std::vector<float> x = Random(53).normals(40'000);
  std::fill(x.begin() + 9'000, x.begin() + 20'000, std::numeric_limits<float>::quiet_NaN());
  x[39'999] = std::numeric_limits<float>::infinity();
  const auto src = kernels::to_device(test_device(), x);
  const std::vector<View<const float>> parts = {
      src.view().slice(0, 9'000), src.view().slice(20'000, 5), src.view().slice(20'005, 19'994)};
  double expected = 0.0;
  for (const View<const float>& part : parts)
    for (std::size_t i = 0; i < part.size; ++i) {
      const double value = x[static_cast<std::size_t>(part.data - src.data()) + i];
      expected += value * value;
    }
  Scratch scratch(test_device(), kernels::norm_scratch_bytes(28'999, 3));
  Buffer<NormRecord> record(test_device(), 1);
  kernels::squared_norm(test_device(), scratch, parts, record);
  const NormRecord found = kernels::to_host(test_device(), record).front();
  CHECK_EQ(found.bad, 0);
  CHECK(found.squares == doctest::Approx(expected).epsilon(1e-5));
  kernels::squared_norm(test_device(), scratch, std::span<const View<const float>>{}, record);
  CHECK_EQ(kernels::to_host(test_device(), record).front().squares, 0.0f);
}

TEST_CASE("entries that are not finite are counted wherever they stand") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t at : {0, 15, 16, 8191, 8192, 99'999}) {
    std::vector<float> x(100'000, 1.0f);
    x[at] = at % 2 == 0 ? nan : -inf;
    x[50'000] = inf;
    CHECK_EQ(norm_of(x).bad, 2);
  }
}

TEST_CASE("doubling every entry quadruples the squared norm exactly") {
  Random random(52);
  std::vector<float> x = random.normals(123'457);
  const float squares = norm_of(x).squares;
  for (float& value : x) value *= 2.0f;
  CHECK_EQ(norm_of(x).squares, 4.0f * squares);
}

TEST_SUITE_END();

}  // namespace opencd::test
