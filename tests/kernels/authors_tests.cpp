// The loss kernels against what the authors' own program answers (tests/golden/make_authors.py): losses,
// gradients of features and prototypes, and whom rows are compared with.
#include "files/safetensors.hpp"
#include "kernels/positive_pairs.hpp"
#include "kernels/prototype_losses.hpp"
#include "kernels/softmax.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"
#include "support/test_data.hpp"

#include <cmath>
#include <set>

namespace opencd::test {

namespace {

using kernels::Buffer;

/// Rows of any length, the way to their unit rows, and gradients back along it, in double precision.
struct UnitRows {
  UnitRows(const std::vector<float>& values, std::size_t row_count)
      : rows(row_count), columns(values.size() / row_count), unit(values.begin(), values.end()) {
    for (std::size_t r = 0; r < rows; ++r) {
      double squares = 0.0;
      for (std::size_t c = 0; c < columns; ++c) squares += at(r, c) * at(r, c);
      lengths.push_back(std::sqrt(squares));
      for (std::size_t c = 0; c < columns; ++c) unit[r * columns + c] /= lengths[r];
    }
  }

  double at(std::size_t r, std::size_t c) const { return unit[r * columns + c]; }

  std::vector<float> cosines(const UnitRows& others) const {
    std::vector<float> result;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t o = 0; o < others.rows; ++o) {
        double cosine = 0.0;
        for (std::size_t c = 0; c < columns; ++c) cosine += at(r, c) * others.at(o, c);
        result.push_back(static_cast<float>(cosine));
      }
    return result;
  }

  /// From gradients of the unit rows to those of the rows: what points along a row has no effect.
  std::vector<double> back(std::vector<double> diff) const {
    for (std::size_t r = 0; r < rows; ++r) {
      double along = 0.0;
      for (std::size_t c = 0; c < columns; ++c) along += diff[r * columns + c] * at(r, c);
      for (std::size_t c = 0; c < columns; ++c)
        diff[r * columns + c] = (diff[r * columns + c] - along * at(r, c)) / lengths[r];
    }
    return diff;
  }

  std::size_t rows, columns;
  std::vector<double> unit, lengths;
};

/// A batch of theirs through our kernels.
struct AuthorsBatch {
  explicit AuthorsBatch(const std::string& name)
      : file(golden("authors/" + name + ".safetensors")),
        labels(file.read<std::int32_t>("labels")),
        partners(file.read<std::int32_t>("partners")),
        group_of(file.read<std::int32_t>("group_of")),
        views{{file.read_f32("features.0"), labels.size()},
              {file.read_f32("features.1"), labels.size()}},
        prototypes(file.read_f32("prototypes"), group_of.size()) {
    config.temperature = file.read_f32("temperature").at(0);
    run();
  }

  /// Every group is equally likely, and so are its prototypes.
  std::vector<float> prior() const {
    std::vector<std::size_t> sizes(groups(), 0);
    for (const std::int32_t group : group_of) ++sizes[static_cast<std::size_t>(group)];
    std::vector<float> result;
    for (const std::int32_t group : group_of)
      result.push_back(1.0f /
                       static_cast<float>(groups() * sizes[static_cast<std::size_t>(group)]));
    return result;
  }
  std::size_t groups() const {
    return static_cast<std::size_t>(*std::max_element(group_of.begin(), group_of.end())) + 1;
  }

  void run() {
    kernels::Device& device = test_device();
    const MatrixShape shape{labels.size(), group_of.size()};
    std::array<Buffer<float>, 2> p, diff;
    for (std::size_t v = 0; v < 2; ++v) {
      p[v] = to_device(device, views[v].cosines(prototypes));
      kernels::softmax_rows(device, rows_of(p[v], shape), rows_of(p[v], shape), config.temperature);
      diff[v] = Buffer<float>(device, shape.size());
    }
    const auto on_device = [&](const auto& values) { return to_device(device, values); };
    const auto device_partners = on_device(partners);
    const auto device_labels = on_device(labels);
    const auto device_prior = on_device(prior());
    const kernels::PrototypeGroups device_groups(device, group_of, groups());
    kernels::Scratch scratch(
        device, kernels::prototype_loss_scratch_bytes(shape.rows, shape.columns, groups()));
    const Buffer<kernels::PrototypeLossRecord> records(device, 1);
    kernels::prototype_losses(
        device, scratch, device_groups,
        {rows_of(p[0], shape), rows_of(p[1], shape), device_partners, device_labels, device_prior},
        rows_of(diff[0], shape), rows_of(diff[1], shape), records, config);
    record = to_host(device, records).front();
    diff_prototypes.assign(prototypes.unit.size(), 0.0);
    for (std::size_t v = 0; v < 2; ++v) add_gradients(v, to_host(device, diff[v]));
    diff_prototypes = prototypes.back(std::move(diff_prototypes));
  }

  /// From gradients of cosines to those of both sides.
  void add_gradients(std::size_t v, const std::vector<float>& diff_cosines) {
    const std::size_t columns = prototypes.columns;
    diff_features[v].assign(views[v].unit.size(), 0.0);
    for (std::size_t r = 0; r < views[v].rows; ++r)
      for (std::size_t k = 0; k < prototypes.rows; ++k)
        for (std::size_t c = 0; c < columns; ++c) {
          const double slope = diff_cosines[r * prototypes.rows + k];
          diff_features[v][r * columns + c] += slope * prototypes.at(k, c);
          diff_prototypes[k * columns + c] += slope * views[v].at(r, c);
        }
    diff_features[v] = views[v].back(std::move(diff_features[v]));
  }

  files::SafetensorsFile file;
  std::vector<std::int32_t> labels, partners, group_of;
  UnitRows views[2];
  UnitRows prototypes;
  kernels::PrototypeLossConfig config = kernels::kCodeLosses;
  kernels::PrototypeLossRecord record;
  std::vector<double> diff_features[2];
  std::vector<double> diff_prototypes;
};

const std::vector<std::string> kBatches = {"loss_warm", "loss_grouped", "loss_soft",
                                           "loss_cifar100"};

}  // namespace

TEST_SUITE_BEGIN("kernels/authors");

TEST_CASE("the four losses and their gradients are those of the authors' program") {
  for (const std::string& name : kBatches) {
    CAPTURE(name);
    const AuthorsBatch batch(name);
    // Theirs holds the factor of ten and adds 1e-7 to every summand, outside of the logarithm.
    const double reg =
        10.0 * (batch.record.reg + 1e-7 * static_cast<double>(batch.group_of.size()));
    CHECK_CLOSE((std::vector<double>{batch.record.proto, batch.record.group, reg, batch.record.ce}),
                batch.file.read_f32("terms"), .rtol = 1e-4, .atol = 1e-6);
    for (std::size_t v = 0; v < 2; ++v) {
      const auto expected = batch.file.read_f32("diff.features." + std::to_string(v));
      CHECK_EQ(difference(batch.diff_features[v], expected, within(expected, 1e-4)), "");
    }
    const auto expected = batch.file.read_f32("diff.prototypes");
    CHECK_EQ(difference(batch.diff_prototypes, expected, within(expected, 1e-4)), "");
  }
}

TEST_CASE("partners are those of the authors' program, but for its dice") {
  for (const std::string& name : kBatches) {
    CAPTURE(name);
    const AuthorsBatch batch(name);
    const std::size_t rows = batch.labels.size();
    const auto cosines = to_device(test_device(), batch.views[0].cosines(batch.views[0]));
    const auto labels = to_device(test_device(), batch.labels);
    const Buffer<std::int32_t> partners(test_device(), rows);
    kernels::positive_pairs(test_device(), cosines.rows(rows, rows), labels, partners, {.seed = 3});
    const std::vector<std::int32_t> found = to_host(test_device(), partners);
    for (std::size_t row = 0; row < rows; ++row) {
      CAPTURE(row);
      const auto ours = static_cast<std::size_t>(found[row]);
      const auto theirs = static_cast<std::size_t>(batch.partners[row]);
      if (batch.labels[row] < 0) {
        CHECK_EQ(ours, theirs);
        continue;
      }
      CHECK_EQ(batch.labels[ours], batch.labels[theirs]);
      CHECK_EQ(ours == row, theirs == row);  // only a row that is alone in its class
    }
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
