#include "kernels/contrastive.hpp"

#include "bench/contrastive_reference.hpp"
#include "files/safetensors.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"
#include "support/test_data.hpp"

#include <numeric>

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::ContrastiveConfig;
using kernels::ContrastiveRecord;
using kernels::Scratch;

struct Contrast {
  ContrastiveRecord record;
  std::vector<float> diff;
};

/// In place; no classes: NT-Xent.
Contrast contrast(const std::vector<float>& cosines,
                  const std::vector<std::int32_t>& classes,
                  const ContrastiveConfig& config) {
  const auto rows = static_cast<std::size_t>(std::lround(std::sqrt(cosines.size())));
  const auto buffer = to_device(test_device(), cosines);
  const auto dev_classes = to_device(test_device(), classes);
  Buffer<ContrastiveRecord> record(test_device(), 1);
  Scratch scratch(test_device(), kernels::contrastive_scratch_bytes(rows));
  const auto matrix = buffer.rows(rows, rows);
  if (classes.empty())
    kernels::nt_xent(test_device(), scratch, matrix, matrix, record, config);
  else
    kernels::sup_con(test_device(), scratch, matrix, dev_classes, matrix, record, config);
  CHECK_EQ(scratch.used(), 0);
  return {to_host(test_device(), record).front(), to_host(test_device(), buffer)};
}

std::vector<std::int32_t> own_classes(std::size_t pictures) {
  std::vector<std::int32_t> classes(pictures);
  std::iota(classes.begin(), classes.end(), 0);
  return classes;
}

double largest(const std::vector<double>& values) {
  double result = 0.0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

void check_against_reference(const std::vector<float>& cosines,
                             const std::vector<std::int32_t>& classes,
                             const Contrast& actual,
                             double temperature) {
  const auto expected = bench::reference_contrastive(cosines, classes, temperature);
  CHECK(actual.record.loss == doctest::Approx(expected.loss).epsilon(1e-5));
  CHECK_CLOSE(actual.diff, expected.diff, .rtol = 1e-4, .atol = 1e-6 * largest(expected.diff));
}

/// (diff + diff^T) z, as the caller multiplies.
std::vector<double> diff_features(const std::vector<float>& diff, const std::vector<float>& z) {
  const auto rows = static_cast<std::size_t>(std::lround(std::sqrt(diff.size())));
  const std::size_t features = z.size() / rows;
  std::vector<double> result(z.size(), 0.0);
  for (std::size_t i = 0; i < z.size(); ++i)
    for (std::size_t c = 0; c < rows; ++c) {
      const std::size_t r = i / features;
      result[i] += (static_cast<double>(diff[r * rows + c]) + diff[c * rows + r]) *
                   z[c * features + i % features];
    }
  return result;
}

std::vector<float> cosines_of(const std::vector<float>& z, std::size_t rows) {
  const std::size_t features = z.size() / rows;
  std::vector<float> cosines(rows * rows);
  for (std::size_t i = 0; i < cosines.size(); ++i)
    cosines[i] = static_cast<float>(std::inner_product(
        &z[i / rows * features], &z[i / rows * features] + features, &z[i % rows * features], 0.0));
  return cosines;
}

}  // namespace

TEST_SUITE_BEGIN("kernels/contrastive");

TEST_CASE("NT-Xent and its gradient match the double reference at awkward sizes") {
  for (const std::size_t pictures : {1, 2, 7, 8, 9, 17, 130})
    for (const float temperature : {0.1f, 0.5f}) {
      CAPTURE(pictures);
      const auto cosines = bench::random_values(4 * pictures * pictures, 71);
      const Contrast actual = contrast(cosines, {}, {.temperature = temperature});
      CHECK_EQ(actual.record.rows, 2 * pictures);
      check_against_reference(cosines, own_classes(pictures), actual, temperature);
    }
}

TEST_CASE("SupCon and its gradient match the double reference, some rows unlabelled") {
  for (const std::size_t pictures : {1, 2, 7, 17, 130}) {
    CAPTURE(pictures);
    const auto cosines = bench::random_values(4 * pictures * pictures, 72);
    std::vector<std::int32_t> classes(pictures);
    Random random(73);
    for (std::int32_t& c : classes) c = static_cast<std::int32_t>(random.below(5)) - 1;
    const Contrast actual = contrast(cosines, classes, {.temperature = 0.07f});
    check_against_reference(cosines, classes, actual, 0.07f);
  }
}

TEST_CASE("losses, gradients of cosines and of features match PyTorch") {
  for (const std::string name : {"nt_xent", "nt_xent_sharp", "sup_con", "sup_con_some"}) {
    CAPTURE(name);
    const files::SafetensorsFile file(golden("losses/" + name + ".safetensors"));
    const std::vector<float> z = file.read_f32("z");
    auto classes = file.read<std::int32_t>("classes");
    const std::vector<float> cosines = cosines_of(z, 2 * classes.size());
    if (name.starts_with("nt_xent")) classes.clear();
    const Contrast actual =
        contrast(cosines, classes, {.temperature = file.read_f32("temperature").at(0)});
    CHECK(actual.record.loss == doctest::Approx(file.read_f32("loss").at(0)).epsilon(1e-5));
    CHECK_CLOSE(actual.diff, file.read_f32("diff_cosines"), .rtol = 1e-4, .atol = 1e-7);
    CHECK_CLOSE(diff_features(actual.diff, z), file.read_f32("diff_z"), .rtol = 1e-4, .atol = 1e-6);
  }
}

TEST_CASE("SupCon with a class for every picture is NT-Xent, to the bit") {
  const auto cosines = bench::random_values(std::size_t{66} * 66, 74);
  const Contrast own = contrast(cosines, own_classes(33), {});
  const Contrast none = contrast(cosines, {}, {});
  CHECK_EQ(own.record.loss, none.record.loss);
  CHECK(own.diff == none.diff);
}

TEST_CASE("one picture has no negatives: no loss, no gradient") {
  const Contrast result = contrast({1.0f, 0.3f, 0.3f, 1.0f}, {}, {});
  CHECK_EQ(result.record.loss, 0.0f);
  CHECK(result.diff == std::vector<float>(4, 0.0f));
}

TEST_CASE("without a labelled picture SupCon and its gradient are 0") {
  const Contrast result = contrast(std::vector<float>(36, 0.5f), {-1, -1, -1}, {});
  CHECK_EQ(result.record.loss, 0.0f);
  CHECK_EQ(result.record.rows, 0);
  CHECK(result.diff == std::vector<float>(36, 0.0f));
}

TEST_CASE("the weight scales the gradient and not the loss") {
  const auto cosines = bench::random_values(std::size_t{20} * 20, 75);
  const Contrast whole = contrast(cosines, {}, {});
  const Contrast half = contrast(cosines, {}, {.weight = 0.5f});
  CHECK_EQ(whole.record.loss, half.record.loss);
  std::vector<float> expected = whole.diff;
  for (float& value : expected) value *= 0.5f;
  CHECK(half.diff == expected);
}

TEST_CASE("equal cosines give log(2B - 1) even at a temperature where exp alone would overflow") {
  const Contrast result = contrast(std::vector<float>(64, 1.0f), {}, {.temperature = 0.005f});
  CHECK(result.record.loss == doctest::Approx(std::log(7.0)));
}

TEST_CASE("rejects an odd number of rows, other shapes and a temperature of zero") {
  Buffer<float> matrix(test_device(), 16);
  Buffer<ContrastiveRecord> record(test_device(), 1);
  Buffer<std::int32_t> classes(test_device(), 3);
  Scratch scratch(test_device(), kernels::contrastive_scratch_bytes(4));
  const kernels::Rows<float> odd{matrix.data(), 3, 3};
  const auto even = matrix.rows(4, 4);
  CHECK_THROWS_WITH_AS(kernels::nt_xent(test_device(), scratch, odd, odd, record),
                       "[nt_xent] expected two views of at least one picture, got 3 rows",
                       ShapeError);
  CHECK_THROWS_AS(kernels::nt_xent(test_device(), scratch, even, odd, record), ShapeError);
  CHECK_THROWS_AS(kernels::nt_xent(test_device(), scratch, even, even, record, {.temperature = 0}),
                  ShapeError);
  CHECK_THROWS_WITH_AS(kernels::sup_con(test_device(), scratch, even, classes, even, record),
                       "[sup_con] expected 2 classes, got 3", ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
