#include "bench/contrastive_reference.hpp"
#include "bench/loss_reference.hpp"
#include "bench/op_cases.hpp"
#include "kernels/contrastive.hpp"
#include "kernels/positive_pairs.hpp"
#include "kernels/prototype_losses.hpp"
#include "kernels/softmax.hpp"

#include <memory>

namespace opencd::bench {

namespace {

using kernels::Buffer;
using kernels::Device;
using kernels::Rows;
using kernels::Scratch;

/// A batch of OpenNCD on the device.
struct LossBatch {
  LossProblem problem;
  kernels::PrototypeGroups groups;
  Buffer<float> p[2], diff[2], prior;
  Buffer<std::int32_t> partners, labels;
  Buffer<kernels::PrototypeLossRecord> record;
  Scratch scratch;

  LossBatch(Device& device, LossProblem from)
      : problem(std::move(from)),
        groups(device, problem.group_of, problem.groups),
        prior(to_device(device, problem.prior)),
        partners(to_device(device, problem.partners)),
        labels(to_device(device, problem.labels)),
        record(device, 1),
        scratch(device,
                kernels::prototype_loss_scratch_bytes(
                    problem.rows, problem.prototypes, problem.groups)) {
    for (const int view : {0, 1}) {
      p[view] = to_device(device, problem.cosines[view]);
      diff[view] = Buffer<float>(device, p[view].size());
      kernels::softmax_rows(device, rows(p[view]), rows(p[view]), problem.config.temperature);
    }
  }
  Rows<float> rows(const Buffer<float>& buffer) const {
    return buffer.rows(problem.rows, problem.prototypes);
  }
};

/// The total, and the gradient at four places a view.
std::string check_batch(Device& device, const LossBatch& batch) {
  const double expected = reference_losses(batch.problem).total;
  const std::vector<float> total{to_host(device, batch.record).front().total};
  std::string wrong = compare(total, [&](std::size_t) { return expected; });
  for (const int view : {0, 1}) {
    const std::vector<float> diff = to_host(device, batch.diff[view]);
    for (std::size_t i = 0; i < 4 && wrong.empty(); ++i) {
      const std::size_t at = diff.size() * i / 4;
      wrong = compare({diff[at]},
                      [&](std::size_t) { return reference_slope(batch.problem, view, at); });
    }
  }
  return wrong;
}

Case prototype_case(Device& device,
                    const OpSizes& sizes,
                    const kernels::PrototypeLossConfig& config) {
  const std::size_t groups = std::max<std::size_t>(1, sizes.columns / 5);
  auto batch = std::make_shared<LossBatch>(
      device, random_loss_problem(sizes.rows, sizes.columns, groups, config));
  Case result;
  result.name = "prototype_losses";
  result.params = {{"form", config.form == kernels::LossForm::paper ? "paper" : "code"},
                   {"rows", sizes.rows},
                   {"prototypes", sizes.columns},
                   {"groups", groups}};
  result.work = 16.0 * static_cast<double>(sizes.rows * sizes.columns);
  result.unit = "B";
  result.run = [&device, batch] {
    kernels::prototype_losses(device, batch->scratch, batch->groups,
                              {batch->rows(batch->p[0]), batch->rows(batch->p[1]), batch->partners,
                               batch->labels, batch->prior},
                              batch->rows(batch->diff[0]), batch->rows(batch->diff[1]),
                              batch->record, batch->problem.config);
  };
  result.check = [&device, batch, run = result.run] {
    run();
    return check_batch(device, *batch);
  };
  return result;
}

/// A square matrix of cosines with a class for every picture, a third of them without.
struct Cosines {
  std::vector<float> values;
  std::vector<std::int32_t> classes;
  Buffer<float> src, dst;
  Buffer<std::int32_t> dev_classes;

  Cosines(Device& device, std::size_t rows, std::size_t pictures)
      : values(random_values(rows * rows, 8)),
        src(to_device(device, values)),
        dst(device, values.size()) {
    for (std::size_t i = 0; i < pictures; ++i)
      classes.push_back(i % 3 == 0 ? -1 : static_cast<std::int32_t>(i % 10));
    dev_classes = to_device(device, classes);
  }
};

Case pairs_case(Device& device, std::size_t rows) {
  auto cosines = std::make_shared<Cosines>(device, rows, rows);
  auto partners = std::make_shared<Buffer<std::int32_t>>(device, rows);
  const kernels::PairKey key{.seed = 1, .step = 2};
  Case result;
  result.name = "positive_pairs";
  result.params = {{"rows", rows}};
  result.work = 4.0 * static_cast<double>(rows * rows);
  result.unit = "B";
  result.run = [&device, cosines, partners, rows, key] {
    kernels::positive_pairs(device, cosines->src.rows(rows, rows), cosines->dev_classes, *partners,
                            key);
  };
  result.check = [&device, cosines, partners, key, run = result.run]() -> std::string {
    run();
    const std::vector<std::int32_t> got = to_host(device, *partners);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::int32_t wanted = reference_partner(cosines->values, cosines->classes, key, i);
      if (got[i] != wanted) return fmt::format("row {} has {} instead of {}", i, got[i], wanted);
    }
    return "";
  };
  return result;
}

Case sup_con_case(Device& device, std::size_t pictures) {
  const std::size_t rows = 2 * pictures;
  const kernels::ContrastiveConfig config{.temperature = 0.5f};
  auto cosines = std::make_shared<Cosines>(device, rows, pictures);
  auto record = std::make_shared<Buffer<kernels::ContrastiveRecord>>(device, 1);
  auto scratch = std::make_shared<Scratch>(device, kernels::contrastive_scratch_bytes(rows));
  Case result;
  result.name = "sup_con";
  result.params = {{"pictures", pictures}};
  result.work = 8.0 * static_cast<double>(rows * rows);
  result.unit = "B";
  result.run = [&device, cosines, record, scratch, rows, config] {
    kernels::sup_con(device, *scratch, cosines->src.rows(rows, rows), cosines->dev_classes,
                     cosines->dst.rows(rows, rows), *record, config);
  };
  result.check = [&device, cosines, record, config, run = result.run] {
    run();
    const ContrastiveValues expected =
        reference_contrastive(cosines->values, cosines->classes, config.temperature);
    const std::vector<float> loss{to_host(device, *record).front().loss};
    std::string wrong = compare(loss, [&](std::size_t) { return expected.loss; });
    if (!wrong.empty()) return wrong;
    return compare(to_host(device, cosines->dst), [&](std::size_t i) { return expected.diff[i]; });
  };
  return result;
}

}  // namespace

std::vector<Case> loss_cases(Device& device, const OpSizes& sizes) {
  return {prototype_case(device, sizes, kernels::kCodeLosses),
          prototype_case(device, sizes, kernels::kPaperLosses), pairs_case(device, sizes.rows),
          sup_con_case(device, sizes.rows)};
}

}  // namespace opencd::bench
