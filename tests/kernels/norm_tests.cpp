#include "kernels/norm.hpp"

#include "support/compare.hpp"
#include "support/matrices.hpp"

#include <limits>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::NormRecord;
using kernels::Scratch;

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
