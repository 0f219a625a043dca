#include "bench/op_cases.hpp"
#include "bench/reference.hpp"
#include "bench/tsne_reference.hpp"
#include "kernels/nearest_rows.hpp"
#include "kernels/tsne.hpp"

#include <memory>

namespace opencd::bench {

namespace {

using kernels::Buffer;
using kernels::Device;
using kernels::Rows;

constexpr std::size_t kColumns = 3;  // of points: few, so that the reference is quick
constexpr kernels::TsneRates kRates{.exaggeration = 4.0f, .momentum = 0.5f, .learning_rate = 0.1f};
constexpr float kPerplexity = 5.0f;
constexpr float kWeight = 7.0f;

/// Points, their products and neighbours, and a map of them.
struct Points {
  std::size_t rows, k;
  std::vector<float> x, squares, products, distances, map;
  std::vector<std::int32_t> starts, neighbours;
  Buffer<float> points, device_squares, device_products, radii, device_distances, affinities;
  Buffer<float> device_map, pushes, weights, weight, velocity, gains, moved;
  Buffer<std::int32_t> on_edge, nearest, device_starts;

  Points(Device& device, std::size_t count)
      : rows(count),
        k(std::min<std::size_t>(90, count - 1)),
        x(whole_numbers(count * kColumns)),
        squares(count),
        products(count * count),
        distances(random_values(count * k, 51)),
        map(random_values(2 * count, 52)),
        device_products(device, count * count),
        radii(device, count),
        device_distances(device, count * k),
        affinities(device, count * k),
        pushes(device, 2 * count),
        weights(device, count),
        velocity(device, 2 * count),
        gains(device, 2 * count),
        moved(device, 2 * count),
        on_edge(device, count),
        nearest(device, count * k) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j)
        products[i * count + j] = std::inner_product(
            x.data() + i * kColumns, x.data() + (i + 1) * kColumns, &x[j * kColumns], 0.0f);
      squares[i] = products[i * count + i];
      starts.push_back(static_cast<std::int32_t>(i * k));
      for (std::size_t n = 1; n <= k; ++n)
        neighbours.push_back(static_cast<std::int32_t>((i + n) % count));
    }
    starts.push_back(static_cast<std::int32_t>(count * k));
    for (float& distance : distances) distance = std::abs(distance);
    points = to_device(device, x);
    device_squares = to_device(device, squares);
    device_map = to_device(device, map);
    device_starts = to_device(device, starts);
    weight = to_device(device, std::vector<float>{kWeight});
  }

  /// Of whole numbers products are exact, and many distances equal.
  static std::vector<float> whole_numbers(std::size_t count) {
    std::vector<float> values = random_values(count, 50);
    for (float& value : values) value = std::round(8.0f * value);
    return values;
  }
  Rows<float> planes(const Buffer<float>& buffer) const { return buffer.rows(2, rows); }
};

using SharedPoints = std::shared_ptr<Points>;

Case map_case(const SharedPoints& p,
              const std::string& name,
              double work,
              const std::string& unit,
              std::function<void()> run) {
  Case result;
  result.name = name;
  result.params = {{"rows", p->rows}, {"neighbours", p->k}};
  result.work = work;
  result.unit = unit;
  result.run = std::move(run);
  return result;
}

double pairs(const SharedPoints& p) { return static_cast<double>(p->rows * p->rows); }
double entries(const SharedPoints& p) { return static_cast<double>(p->rows * p->k); }

/// Timed on what the check left: distances in place of products, as long to search.
Case nearest_case(Device& device, const SharedPoints& p) {
  Case result = map_case(p, "nearest_rows", 4.0 * pairs(p), "B", [&device, p] {
    kernels::nearest_rows(device, p->device_squares, 0, p->device_products.rows(p->rows, p->rows),
                          p->radii, p->on_edge, p->nearest.rows(p->rows, p->k));
  });
  result.check = [&device, p, run = result.run]() -> std::string {
    kernels::copy_to_device<float>(device, p->products, p->device_products);
    run();
    const std::vector<std::int32_t> found = to_host(device, p->nearest);
    for (std::size_t row = 0; row < p->rows; row += 1 + p->rows / 100) {
      const auto expected = reference_nearest(p->x, kColumns, row, p->k);
      if (!std::equal(expected.begin(), expected.end(), &found[row * p->k]))
        return fmt::format("row {} has other neighbours than the reference", row);
    }
    return "";
  };
  return result;
}

Case distance_case(Device& device, const SharedPoints& p) {
  const auto neighbours = std::make_shared<Buffer<std::int32_t>>(to_device(device, p->neighbours));
  Case result = map_case(p, "neighbour_distances", 8.0 * kColumns * entries(p), "B",
                         [&device, p, neighbours] {
                           kernels::neighbour_distances(device, p->points.rows(p->rows, kColumns),
                                                        neighbours->rows(p->rows, p->k),
                                                        p->device_distances.rows(p->rows, p->k));
                         });
  result.check = [&device, p, run = result.run] {
    run();
    return compare(to_host(device, p->device_distances), [&](std::size_t i) {
      const auto j = static_cast<std::size_t>(p->neighbours[i]);
      return squared_distance(&p->x[i / p->k * kColumns], &p->x[j * kColumns], kColumns);
    });
  };
  return result;
}

Case affinity_case(Device& device, const SharedPoints& p) {
  const float perplexity = std::min(kPerplexity, static_cast<float>(p->k));
  const auto distances = std::make_shared<Buffer<float>>(to_device(device, p->distances));
  Case result = map_case(
      p, "conditional_affinities", entries(p), "entry", [&device, p, distances, perplexity] {
        device.copy(distances->data(), p->affinities.data(), 4 * p->affinities.size());
        kernels::conditional_affinities(device, p->affinities.rows(p->rows, p->k), perplexity);
      });
  result.check = [&device, p, perplexity, run = result.run]() -> std::string {
    run();
    const std::vector<float> found = to_host(device, p->affinities);
    for (std::size_t row = 0; row < p->rows; row += 1 + p->rows / 100) {
      const std::size_t at = row * p->k;
      const auto expected =
          reference_affinities(std::span(p->distances).subspan(at, p->k), perplexity);
      const std::string wrong = compare(
          {&found[at], &found[at] + p->k}, [&](std::size_t n) { return expected[n]; }, 1e-4);
      if (!wrong.empty()) return fmt::format("row {}: {}", row, wrong);
    }
    return "";
  };
  return result;
}

Case repulsion_case(Device& device, const SharedPoints& p) {
  Case result = map_case(p, "repulsion", pairs(p), "pair", [&device, p] {
    kernels::repulsion(device, p->planes(p->device_map), p->planes(p->pushes), p->weights);
  });
  result.check = [&device, p, run = result.run] {
    run();
    const ReferenceForces expected = reference_repulsion(p->map);
    std::string wrong =
        compare(to_host(device, p->weights), [&](std::size_t i) { return expected.weights[i]; });
    if (wrong.empty())
      wrong = compare(
          to_host(device, p->pushes), [&](std::size_t i) { return expected.pushes[i]; }, 1e-4);
    return wrong;
  };
  return result;
}

/// From rest, with forces as they lie in memory.
Case step_case(Device& device, const SharedPoints& p) {
  const auto neighbours = std::make_shared<Buffer<std::int32_t>>(to_device(device, p->neighbours));
  const auto values = std::make_shared<Buffer<float>>(to_device(device, p->distances));
  const std::vector<float> still(2 * p->rows, 0.0f);
  const std::vector<float> ones(2 * p->rows, 1.0f);
  Case result = map_case(p, "tsne_step", entries(p), "entry", [&device, p, neighbours, values] {
    kernels::tsne_step(device, {p->device_starts, *neighbours, *values}, p->planes(p->device_map),
                       p->planes(p->pushes), p->weight,
                       {p->planes(p->velocity), p->planes(p->gains)}, p->planes(p->moved), kRates);
  });
  result.check = [&device, p, still, ones, run = result.run] {
    kernels::copy_to_device<float>(device, still, p->velocity);
    kernels::copy_to_device<float>(device, ones, p->gains);
    kernels::copy_to_device<float>(device, p->map, p->pushes);  // forces like any other
    run();
    const std::vector<double> pulls =
        reference_attraction(p->map, p->starts, p->neighbours, p->distances);
    return compare(
        to_host(device, p->moved),
        [&](std::size_t i) {
          ReferenceCoordinate coordinate{p->map[i]};
          coordinate.step(4.0 * (kRates.exaggeration * pulls[i] - p->map[i] / kWeight), kRates);
          return coordinate.place;
        },
        1e-4);
  };
  return result;
}

}  // namespace

std::vector<Case> map_cases(Device& device, const OpSizes& sizes) {
  const auto p = std::make_shared<Points>(device, sizes.rows);
  return {nearest_case(device, p), distance_case(device, p), affinity_case(device, p),
          repulsion_case(device, p), step_case(device, p)};
}

}  // namespace opencd::bench
