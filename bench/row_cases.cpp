#include "bench/feature_view_reference.hpp"
#include "bench/op_cases.hpp"
#include "bench/reference.hpp"
#include "kernels/columns.hpp"
#include "kernels/feature_views.hpp"
#include "kernels/groups.hpp"
#include "kernels/normalize.hpp"
#include "kernels/softmax.hpp"
#include "kernels/top_k.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace opencd::bench {

namespace {

using kernels::Buffer;
using kernels::Device;
using kernels::Rows;

constexpr float kTemperature = 0.1f;
constexpr std::size_t kTopK = 5;

/// One matrix in, one out, and what kernels need beside them.
struct Matrices {
  std::size_t rows, columns;
  std::vector<float> x;
  Buffer<float> src, dst;

  Matrices(Device& device, const OpSizes& sizes)
      : rows(sizes.rows),
        columns(sizes.columns),
        x(random_values(rows * columns, 3)),
        src(to_device(device, x)),
        dst(device, x.size()) {}

  Rows<const float> in() const { return src.rows(rows, columns); }
  Rows<float> out() const { return dst.rows(rows, columns); }
  const float* row(std::size_t r) const { return x.data() + r * columns; }
};

using SharedMatrices = std::shared_ptr<Matrices>;

Case row_case(const SharedMatrices& m,
              const std::string& name,
              double bytes,
              std::function<void()> run) {
  Case result;
  result.name = name;
  result.params = {{"rows", m->rows}, {"columns", m->columns}};
  result.work = bytes;
  result.unit = "B";
  result.run = std::move(run);
  return result;
}

double matrix_bytes(const SharedMatrices& m) { return 4.0 * static_cast<double>(m->x.size()); }

Case softmax_case(Device& device, const SharedMatrices& m) {
  Case result = row_case(m, "softmax_rows", 2 * matrix_bytes(m), [&device, m] {
    kernels::softmax_rows(device, m->in(), m->out(), kTemperature);
  });
  result.check = [&device, m, run = result.run] {
    run();
    std::vector<double> expected(m->x.size());
    for (std::size_t r = 0; r < m->rows; ++r) {
      double total = 0.0;
      for (std::size_t c = 0; c < m->columns; ++c)
        total += expected[r * m->columns + c] =
            std::exp(m->row(r)[c] / static_cast<double>(kTemperature));
      for (std::size_t c = 0; c < m->columns; ++c) expected[r * m->columns + c] /= total;
    }
    return compare(to_host(device, m->dst), [&](std::size_t i) { return expected[i]; });
  };
  return result;
}

Case normalize_case(Device& device, const SharedMatrices& m) {
  auto norms = std::make_shared<Buffer<float>>(device, m->rows);
  Case result = row_case(m, "normalize_rows", 2 * matrix_bytes(m), [&device, m, norms] {
    kernels::normalize_rows(device, m->in(), m->out(), *norms);
  });
  result.check = [&device, m, run = result.run] {
    run();
    std::vector<double> norm(m->rows);
    for (std::size_t r = 0; r < m->rows; ++r)
      norm[r] = std::sqrt(std::inner_product(m->row(r), m->row(r) + m->columns, m->row(r), 0.0));
    return compare(to_host(device, m->dst),
                   [&](std::size_t i) { return m->x[i] / norm[i / m->columns]; });
  };
  return result;
}

constexpr kernels::FeatureViewConfig kViewConfig{.dropout = 0.1f, .noise = 0.1f};
constexpr kernels::FeatureViewKey kViewKey{.seed = 5, .step = 7, .view = 1};

Case feature_view_case(Device& device, const SharedMatrices& m) {
  std::vector<std::int32_t> all(m->rows);
  std::iota(all.begin(), all.end(), 0);
  auto rows = std::make_shared<Buffer<std::int32_t>>(to_device(device, all));
  Case result = row_case(m, "feature_views", 2 * matrix_bytes(m), [&device, m, rows] {
    kernels::feature_views(device, m->in(), *rows, m->out(), kViewConfig, kViewKey);
  });
  result.check = [&device, m, run = result.run] {
    run();
    return compare(to_host(device, m->dst), [&](std::size_t i) {
      return reference_view(m->x[i], i / m->columns, i % m->columns, kViewConfig, kViewKey);
    });
  };
  return result;
}

Case top_k_case(Device& device, const SharedMatrices& m) {
  const std::size_t k = std::min(kTopK, m->columns);
  auto indices = std::make_shared<Buffer<std::int32_t>>(device, m->rows * k);
  Case result = row_case(m, "top_k_rows", matrix_bytes(m), [&device, m, indices, k] {
    kernels::top_k_rows(device, m->in(), indices->rows(m->rows, k));
  });
  result.params["k"] = k;
  result.check = [&device, m, indices, k, run = result.run]() -> std::string {
    run();
    const std::vector<std::int32_t> got = to_host(device, *indices);
    std::vector<std::int32_t> order(m->columns);
    for (std::size_t r = 0; r < m->rows; ++r) {
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                        [row = m->row(r)](std::int32_t a, std::int32_t b) {
                          return row[a] != row[b] ? row[a] > row[b] : a < b;
                        });
      if (!std::equal(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k),
                      got.begin() + static_cast<std::ptrdiff_t>(r * k)))
        return fmt::format("row {} has other columns than the reference", r);
    }
    return "";
  };
  return result;
}

Case column_case(Device& device, const SharedMatrices& m) {
  auto scratch = std::make_shared<kernels::Scratch>(
      device, kernels::column_scratch_bytes(m->rows, m->columns));
  auto mean = std::make_shared<Buffer<float>>(device, m->columns);
  Case result = row_case(m, "column_mean", matrix_bytes(m), [&device, m, scratch, mean] {
    kernels::column_mean(device, *scratch, m->in(), *mean);
  });
  result.check = [&device, m, mean, run = result.run] {
    run();
    std::vector<double> expected(m->columns, 0.0);
    for (std::size_t i = 0; i < m->x.size(); ++i)
      expected[i % m->columns] += m->x[i] / static_cast<double>(m->rows);
    return compare(to_host(device, *mean), [&](std::size_t c) { return expected[c]; });
  };
  return result;
}

/// Ten prototypes a group, dealt out in turn.
Case groups_case(Device& device, const SharedMatrices& m) {
  const std::size_t groups = std::max<std::size_t>(1, m->columns / 10);
  std::vector<std::int32_t> group_of(m->columns);
  for (std::size_t k = 0; k < m->columns; ++k) group_of[k] = static_cast<std::int32_t>(k % groups);
  auto index = std::make_shared<kernels::PrototypeGroups>(device, group_of, groups);
  auto q = std::make_shared<Buffer<float>>(device, m->rows * groups);
  const double bytes = matrix_bytes(m) + 4.0 * static_cast<double>(q->size());
  Case result = row_case(m, "aggregate_groups", bytes, [&device, m, index, q, groups] {
    kernels::aggregate_groups(device, *index, m->in(), q->rows(m->rows, groups));
  });
  result.params["groups"] = groups;
  result.check = [&device, m, q, group_of, groups, run = result.run] {
    run();
    std::vector<double> expected(q->size(), 0.0);
    for (std::size_t i = 0; i < m->x.size(); ++i)
      expected[i / m->columns * groups + static_cast<std::size_t>(group_of[i % m->columns])] +=
          m->x[i];
    return compare(to_host(device, *q), [&](std::size_t i) { return expected[i]; });
  };
  return result;
}

}  // namespace

std::vector<Case> row_cases(Device& device, const OpSizes& sizes) {
  const auto m = std::make_shared<Matrices>(device, sizes);
  return {softmax_case(device, m), normalize_case(device, m), feature_view_case(device, m),
          top_k_case(device, m),   column_case(device, m),    groups_case(device, m)};
}

}  // namespace opencd::bench
