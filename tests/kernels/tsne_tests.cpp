#include "kernels/tsne.hpp"

#include "bench/tsne_reference.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"

namespace opencd::test {

namespace {

using kernels::Buffer;
using kernels::Rows;

/// Numbers of rows about the widths of groups.
constexpr std::size_t kSizes[] = {1, 2, 15, 16, 17, 257, 1003};

Rows<float> planes(const Buffer<float>& buffer) { return buffer.rows(2, buffer.size() / 2); }

}  // namespace

TEST_SUITE_BEGIN("kernels/tsne");

TEST_CASE("affinities have the perplexity asked for, at any scale of distances") {
  Random random(93);
  for (const MatrixShape shape : {MatrixShape{1, 7}, MatrixShape{17, 15}, MatrixShape{33, 90}})
    for (const double scale : {1e-12, 1.0, 1e6})
      for (const double perplexity : {1.5, 4.9}) {
        CAPTURE(shape);
        CAPTURE(scale);
        CAPTURE(perplexity);
        std::vector<float> distances(shape.size());
        for (float& value : distances) value = static_cast<float>(scale * random.uniform(0.2, 2.0));
        const auto values = kernels::to_device(test_device(), distances);
        kernels::conditional_affinities(test_device(), rows_of(values, shape),
                                        static_cast<float>(perplexity));
        std::vector<double> expected;
        for (std::size_t row = 0; row < shape.rows; ++row)
          for (const double p : bench::reference_affinities(
                   std::span(distances).subspan(row * shape.columns, shape.columns), perplexity))
            expected.push_back(p);
        const std::vector<float> p = kernels::to_host(test_device(), values);
        CHECK_CLOSE(p, expected, .rtol = 1e-3, .atol = 1e-5);
        for (std::size_t row = 0; row < shape.rows; ++row)
          CHECK_LE(std::abs(row_sum(p, shape, row) - 1.0), 1e-5);
      }
}

TEST_CASE("neighbours at equal distances have equal affinities, whatever the perplexity") {
  const MatrixShape shape{3, 19};
  const auto values = kernels::to_device(test_device(), std::vector<float>(shape.size(), 0.0f));
  kernels::conditional_affinities(test_device(), rows_of(values, shape), 5.0f);
  CHECK_CLOSE(kernels::to_host(test_device(), values),
              std::vector<double>(shape.size(), 1.0 / 19.0), .rtol = 1e-6);
}

TEST_CASE("repulsion is the sum over all other points") {
  for (const std::size_t rows : kSizes)
    for (const double scale : {1e-4, 1.0, 50.0, 1e6}) {
      CAPTURE(rows);
      CAPTURE(scale);
      Random random(94);
      const std::vector<float> map = random.normals(2 * rows, scale);
      const auto device_map = kernels::to_device(test_device(), map);
      const Buffer<float> pushes(test_device(), map.size());
      const Buffer<float> weights(test_device(), rows);
      kernels::repulsion(test_device(), planes(device_map), planes(pushes), weights);
      const bench::ReferenceForces expected = bench::reference_repulsion(map);
      const double atol = 1e-6 * std::min(scale, 1.0 / scale) * static_cast<double>(rows);
      CHECK_CLOSE(kernels::to_host(test_device(), weights), expected.weights, .rtol = 1e-4,
                  .atol = 1e-30);
      CHECK_CLOSE(kernels::to_host(test_device(), pushes), expected.pushes, .rtol = 1e-4,
                  .atol = atol);
    }
}

TEST_CASE("a step follows gradient, momentum and gains, for rows of any number of neighbours") {
  for (const std::size_t rows : kSizes) {
    CAPTURE(rows);
    Random random(95);
    std::vector<std::int32_t> starts = {0};
    std::vector<std::int32_t> columns;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t n = 0; n < row % 40; ++n)
        columns.push_back(static_cast<std::int32_t>((row + n) % rows));
      starts.push_back(static_cast<std::int32_t>(columns.size()));
    }
    std::vector<float> affinities(columns.size());
    for (float& value : affinities) value = static_cast<float>(random.uniform());
    const std::vector<float> map = random.normals(2 * rows);
    const std::vector<float> pushes = random.normals(2 * rows);
    const std::vector<float> velocity = random.normals(2 * rows);
    std::vector<float> gains(2 * rows);
    for (float& value : gains) value = static_cast<float>(random.uniform(0.005, 1.0));
    const float weight = 3.5f;
    const kernels::TsneRates rates{.exaggeration = 4.0f, .momentum = 0.5f, .learning_rate = 0.7f};

    const auto device_starts = kernels::to_device(test_device(), starts);
    const auto device_columns = kernels::to_device(test_device(), columns);
    const auto device_affinities = kernels::to_device(test_device(), affinities);
    const auto device_map = kernels::to_device(test_device(), map);
    const auto device_pushes = kernels::to_device(test_device(), pushes);
    const auto device_weight = kernels::to_device(test_device(), std::vector<float>{weight});
    const auto device_velocity = kernels::to_device(test_device(), velocity);
    const auto device_gains = kernels::to_device(test_device(), gains);
    const Buffer<float> moved(test_device(), map.size());
    kernels::tsne_step(test_device(), {device_starts, device_columns, device_affinities},
                       planes(device_map), planes(device_pushes), device_weight,
                       {planes(device_velocity), planes(device_gains)}, planes(moved), rates);

    const std::vector<double> pulls = bench::reference_attraction(map, starts, columns, affinities);
    std::vector<double> places;
    std::vector<double> ways;
    std::vector<double> expected_gains;
    for (std::size_t at = 0; at < map.size(); ++at) {
      bench::ReferenceCoordinate coordinate{map[at], velocity[at], gains[at]};
      coordinate.step(4.0 * (rates.exaggeration * pulls[at] - pushes[at] / weight), rates);
      places.push_back(coordinate.place);
      ways.push_back(coordinate.velocity);
      expected_gains.push_back(coordinate.gain);
    }
    CHECK_CLOSE(kernels::to_host(test_device(), moved), places, .rtol = 1e-4, .atol = 1e-4);
    CHECK_CLOSE(kernels::to_host(test_device(), device_velocity), ways, .rtol = 1e-4, .atol = 1e-4);
    CHECK_CLOSE(kernels::to_host(test_device(), device_gains), expected_gains, .rtol = 1e-5);
  }
}

TEST_CASE("rejects a perplexity below one and maps of other than two planes") {
  const Buffer<float> a(test_device(), 12);
  const Buffer<float> weights(test_device(), 4);
  CHECK_THROWS_AS(kernels::conditional_affinities(test_device(), a.rows(3, 4), 0.5f), ShapeError);
  CHECK_THROWS_WITH_AS(kernels::repulsion(test_device(), a.rows(3, 4), a.rows(3, 4), weights),
                       "[repulsion] expected 2 planes of the map, got 3", ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
