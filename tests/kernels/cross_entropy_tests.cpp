#include "kernels/cross_entropy.hpp"

#include "bench/method_loss_reference.hpp"
#include "error.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

namespace opencd::test {

namespace {

struct Entropy {
  kernels::CrossEntropyRecord record;
  std::vector<float> diff;
};

Entropy entropy(const std::vector<float>& src,
                const std::vector<std::int32_t>& labels,
                const kernels::CrossEntropyConfig& config = {},
                float before = 0.0f) {
  kernels::Device& device = test_device();
  const std::size_t rows = labels.size();
  const std::size_t classes = src.size() / rows;
  const auto x = to_device(device, src);
  const auto y = to_device(device, labels);
  const auto diff = to_device(device, std::vector<float>(src.size(), before));
  kernels::Buffer<kernels::CrossEntropyRecord> record(device, 1);
  kernels::Scratch scratch(device, kernels::cross_entropy_scratch_bytes(rows));
  kernels::cross_entropy(device, scratch, x.rows(rows, classes), y, diff.rows(rows, classes),
                         record, config);
  return {to_host(device, record).front(), to_host(device, diff)};
}

}  // namespace

TEST_SUITE_BEGIN("kernels/cross_entropy");

TEST_CASE("loss and gradient are those of the formula at awkward sizes") {
  for (const MatrixShape shape :
       {MatrixShape{1, 1}, {1, 7}, {3, 2}, {5, 15}, {17, 16}, {33, 100}, {130, 257}}) {
    CAPTURE(shape);
    const auto src = bench::random_values(shape.size(), 3);
    const auto labels = bench::mixed_labels(shape.rows, shape.columns);
    for (const float margin : {0.0f, 0.4f}) {
      const Entropy actual = entropy(src, labels, {.scale = 10.0f, .margin = margin}, 0.5f);
      const auto expected = bench::reference_cross_entropy(src, labels, 10.0, margin);
      CHECK(actual.record.loss == doctest::Approx(expected.loss).epsilon(1e-5));
      std::vector<double> sum = expected.diff;
      for (double& value : sum) value += 0.5;  // it adds
      CHECK_CLOSE(actual.diff, sum, .rtol = 1e-5, .atol = 2e-6);
    }
  }
}

TEST_CASE("without labelled rows loss and gradient are 0, and a label that is no class shows") {
  const auto src = bench::random_values(12, 4);
  const Entropy none = entropy(src, {-1, -2, -1, -2});
  CHECK_EQ(none.record.loss, 0.0f);
  CHECK_EQ(none.record.rows, 2);
  CHECK_EQ(none.record.targets, 0);
  CHECK_EQ(none.diff, std::vector<float>(12, 0.0f));
  CHECK(std::isnan(entropy(src, {3, 0, 1, 2}).record.loss));
}

TEST_CASE("pseudo-labels are the sure classes of unlabelled rows") {
  kernels::Device& device = test_device();
  const auto logits = to_device(device, std::vector<float>{5, 0, 0, 1, 1.1f, 1, 0, 0, 9, 0, 6, 6});
  const auto labels = to_device(device, std::vector<std::int32_t>{-1, -1, 0, -1});
  const kernels::Buffer<std::int32_t> pseudo(device, 4);
  kernels::pseudo_labels(device, logits.rows(4, 3), labels, pseudo, 0.9f);
  CHECK_EQ(to_host(device, pseudo), std::vector<std::int32_t>{0, -2, -1, -2});
  kernels::pseudo_labels(device, logits.rows(4, 3), labels, pseudo, 0.3f);
  CHECK_EQ(to_host(device, pseudo), std::vector<std::int32_t>{0, 1, -1, 1});
}

TEST_CASE("sizes that do not fit are refused") {
  kernels::Device& device = test_device();
  const kernels::Buffer<float> x(device, 12);
  const kernels::Buffer<std::int32_t> labels(device, 3);
  CHECK_THROWS_AS(kernels::pseudo_labels(device, x.rows(4, 3), labels, labels, 0.5f), ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
