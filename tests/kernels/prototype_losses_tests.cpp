#include "kernels/prototype_losses.hpp"

#include "bench/loss_reference.hpp"
#include "files/safetensors.hpp"
#include "kernels/softmax.hpp"
#include "support/compare.hpp"
#include "support/matrices.hpp"
#include "support/test_data.hpp"

namespace opencd::test {

namespace {

using bench::LossProblem;
using bench::LossValues;
using kernels::Buffer;
using kernels::LossForm;
using kernels::PrototypeGroups;
using kernels::PrototypeLossRecord;
using kernels::Scratch;

/// A batch on the device, its probabilities and what the losses made of them.
struct Run {
  explicit Run(const LossProblem& problem)
      : Run(problem, probabilities(problem, 0), probabilities(problem, 1)) {}

  /// With probabilities that need not come from cosines.
  Run(const LossProblem& problem, Buffer<float> first, Buffer<float> second)
      : shape{problem.rows, problem.prototypes},
        p1(std::move(first)),
        p2(std::move(second)),
        partners(to_device(test_device(), problem.partners)),
        labels(to_device(test_device(), problem.labels)),
        prior(to_device(test_device(), problem.prior)),
        groups(test_device(), problem.group_of, problem.groups),
        scratch(test_device(),
                kernels::prototype_loss_scratch_bytes(
                    problem.rows, problem.prototypes, problem.groups)),
        diff1(test_device(), shape.size()),
        diff2(test_device(), shape.size()),
        records(test_device(), 1),
        config(problem.config) {
    again();
  }

  static Buffer<float> probabilities(const LossProblem& problem, int view) {
    Buffer<float> p = to_device(test_device(), problem.cosines[view]);
    const auto rows = p.rows(problem.rows, problem.prototypes);
    kernels::softmax_rows(test_device(), rows, rows, problem.config.temperature);
    return p;
  }
  void again() {
    kernels::prototype_losses(test_device(), scratch, groups,
                              {rows_of(p1, shape), rows_of(p2, shape), partners, labels, prior},
                              rows_of(diff1, shape), rows_of(diff2, shape), records, config);
  }
  PrototypeLossRecord record() const { return to_host(test_device(), records).front(); }
  std::vector<float> diff(int view) const {
    return to_host(test_device(), view == 0 ? diff1 : diff2);
  }

  MatrixShape shape;
  Buffer<float> p1, p2;
  Buffer<std::int32_t> partners, labels;
  Buffer<float> prior;
  PrototypeGroups groups;
  Scratch scratch;
  Buffer<float> diff1, diff2;
  Buffer<PrototypeLossRecord> records;
  kernels::PrototypeLossConfig config;
};

std::vector<float> terms_of(const PrototypeLossRecord& record) {
  return {record.proto, record.group, record.reg, record.ce, record.total};
}

double largest(const std::vector<float>& values) {
  double result = 0.0;
  for (const float value : values) result = std::max(result, std::abs(double{value}));
  return result;
}

/// p given directly: every row one-hot at `hot`.
Buffer<float> one_hot(const std::vector<std::size_t>& hot, std::size_t columns) {
  std::vector<float> p(hot.size() * columns, 0.0f);
  for (std::size_t r = 0; r < hot.size(); ++r) p[r * columns + hot[r]] = 1.0f;
  return to_device(test_device(), p);
}

void check_against_reference(const LossProblem& problem) {
  const Run run(problem);
  const LossValues expected = bench::reference_losses(problem);
  CHECK_CLOSE(terms_of(run.record()),
              (std::vector<double>{expected.proto, expected.group, expected.reg, expected.ce,
                                   expected.total}),
              .rtol = 1e-4, .atol = 1e-6);
  Random random(51);
  for (const int view : {0, 1}) {
    CAPTURE(view);
    const std::vector<float> diff = run.diff(view);
    std::vector<float> actual;
    std::vector<double> slopes;
    for (int sample = 0; sample < 12; ++sample) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(diff.size()));
      actual.push_back(diff[at]);
      slopes.push_back(bench::reference_slope(problem, view, at));
    }
    CHECK_CLOSE(actual, slopes, .rtol = 1e-4, .atol = 2e-5 * largest(diff) + 1e-9);
  }
}

}  // namespace

TEST_SUITE_BEGIN("kernels/prototype_losses");

TEST_CASE("terms and gradients match the double reference at awkward sizes in both forms") {
  for (const auto& preset : {kernels::kCodeLosses, kernels::kPaperLosses})
    for (const std::size_t rows : {1, 2, 17, 130})
      for (const std::size_t prototypes : {1, 3, 50, 1000}) {
        const std::size_t groups = prototypes / 5 + 1;
        CAPTURE(static_cast<int>(preset.form));
        CAPTURE(rows);
        CAPTURE(prototypes);
        check_against_reference(bench::random_loss_problem(rows, prototypes, groups, preset));
      }
}

TEST_CASE("labelled rows count in L_reg as much as they are told, however many they are") {
  for (const auto& preset : {kernels::kCodeLosses, kernels::kPaperLosses})
    for (const std::size_t rows : {1, 2, 17, 130})
      for (const float share : {0.0f, 0.05f, 0.5f, 1.0f}) {
        CAPTURE(rows);
        CAPTURE(share);
        LossProblem problem = bench::random_loss_problem(rows, 50, 10, preset);
        problem.config.labelled_share = share;
        check_against_reference(problem);
        // Where all rows are labelled, or none is, there is nothing to share out.
        problem.labels.assign(rows, -1);
        check_against_reference(problem);
        problem.labels.assign(rows, 3);
        check_against_reference(problem);
      }
}

TEST_CASE("copies of labelled rows leave L_reg as it is if their share is given") {
  LossProblem problem = bench::random_loss_problem(9, 12, 4, kernels::kCodeLosses);
  problem.config.labelled_share = 0.2f;
  const float reg = Run(problem).record().reg;
  const std::size_t columns = problem.prototypes;
  for (std::size_t row = 0; row < 9; ++row) {
    if (problem.labels[row] < 0) continue;
    for (int copy = 0; copy < 3; ++copy) {
      for (std::vector<float>& cosines : problem.cosines)
        for (std::size_t k = 0; k < columns; ++k) cosines.push_back(cosines[row * columns + k]);
      problem.labels.push_back(problem.labels[row]);
      problem.partners.push_back(problem.partners[row]);
      ++problem.rows;
    }
  }
  CHECK(Run(problem).record().reg == doctest::Approx(reg).epsilon(1e-5));
  problem.config.labelled_share = -1.0f;
  CHECK(Run(problem).record().reg != doctest::Approx(reg).epsilon(1e-3));
}

TEST_CASE("a row that all anchors chose gets the gradient of them all") {
  for (const auto& preset : {kernels::kCodeLosses, kernels::kPaperLosses}) {
    LossProblem problem = bench::random_loss_problem(37, 11, 4, preset);
    std::fill(problem.partners.begin(), problem.partners.end(), 36);
    check_against_reference(problem);
  }
}

TEST_CASE("terms and gradients match PyTorch") {
  for (const std::string name : {"code_small", "code_groups", "code_unlabelled", "code_weights",
                                 "paper_small", "paper_groups"}) {
    CAPTURE(name);
    const files::SafetensorsFile file(golden("losses/" + name + ".safetensors"));
    LossProblem problem;
    problem.partners = file.read<std::int32_t>("partners");
    problem.labels = file.read<std::int32_t>("labels");
    problem.group_of = file.read<std::int32_t>("group_of");
    problem.prior = file.read_f32("prior");
    problem.rows = problem.partners.size();
    problem.prototypes = problem.group_of.size();
    problem.groups = static_cast<std::size_t>(
        *std::max_element(problem.group_of.begin(), problem.group_of.end()) + 1);
    problem.cosines[0] = file.read_f32("cosines.0");
    problem.cosines[1] = file.read_f32("cosines.1");
    const std::vector<float> w = file.read_f32("weights");
    problem.config = {.form = name.starts_with("paper") ? LossForm::paper : LossForm::code,
                      .weights = {w.at(0), w.at(1), w.at(2), w.at(3)},
                      .temperature = file.read_f32("temperature").at(0)};
    const Run run(problem);
    CHECK_CLOSE(terms_of(run.record()), file.read_f32("terms"), .rtol = 1e-4, .atol = 1e-6);
    for (const int view : {0, 1}) {
      const std::vector<float> expected = file.read_f32("diff." + std::to_string(view));
      CHECK_CLOSE(run.diff(view), expected, .rtol = 1e-4, .atol = 1e-5 * largest(expected));
    }
  }
}

TEST_CASE("L_reg is 0 where the mean is the prior, L_proto and L_group where pairs agree") {
  LossProblem problem = bench::random_loss_problem(4, 4, 4, kernels::kCodeLosses);
  problem.partners = {0, 1, 2, 3};
  problem.labels = {3, -1, -1, 0};
  const std::vector<std::size_t> hot = {3, 1, 2, 0};
  for (const LossForm form : {LossForm::code, LossForm::paper}) {
    problem.config.form = form;
    const Run run(problem, one_hot(hot, 4), one_hot(hot, 4));
    CHECK_CLOSE(terms_of(run.record()), std::vector<double>(5, 0.0), .atol = 1e-6);
  }
}

TEST_CASE("rows of the gradients sum to 0, since cosines may move together") {
  const LossProblem problem = bench::random_loss_problem(23, 50, 7, kernels::kPaperLosses);
  const Run run(problem);
  for (const int view : {0, 1}) {
    const std::vector<float> diff = run.diff(view);
    for (std::size_t r = 0; r < problem.rows; ++r)
      CHECK(std::abs(row_sum(diff, run.shape, r)) <= 1e-5 * largest(diff));
  }
}

TEST_CASE("without labelled rows L_ce is 0 and has no gradient") {
  LossProblem problem = bench::random_loss_problem(19, 20, 5, kernels::kCodeLosses);
  std::fill(problem.labels.begin(), problem.labels.end(), -1);
  const Run with(problem);
  problem.config.weights.ce = 0.0f;
  const Run without(problem);
  CHECK_EQ(with.record().ce, 0.0f);
  CHECK_EQ(with.record().labelled, 0);
  CHECK(with.diff(0) == without.diff(0));
}

TEST_CASE("results are the same bits on every run and a run allocates nothing") {
  const LossProblem problem = bench::random_loss_problem(301, 50, 10, kernels::kPaperLosses);
  Run run(problem);
  const std::vector<float> terms = terms_of(run.record());
  const std::vector<float> first = run.diff(0);
  const std::vector<float> second = run.diff(1);
  const std::size_t allocations = test_device().memory().allocations;
  for (int repeat = 0; repeat < 5; ++repeat) {
    run.again();
    CHECK(terms_of(run.record()) == terms);
    CHECK(run.diff(0) == first);
    CHECK(run.diff(1) == second);
  }
  CHECK_EQ(test_device().memory().allocations, allocations);
  CHECK_EQ(run.scratch.used(), 0);
  CHECK_EQ(run.scratch.peak(), run.scratch.capacity());
}

TEST_CASE("pairs without anything in common stay finite and are counted") {
  for (const LossForm form : {LossForm::code, LossForm::paper}) {
    LossProblem problem = bench::random_loss_problem(3, 6, 2, kernels::kCodeLosses);
    problem.config.form = form;
    problem.partners = {0, 1, 2};
    const Run run(problem, one_hot({0, 1, 2}, 6), one_hot({3, 4, 2}, 6));
    CHECK_EQ(run.record().clamped, 2);
    CHECK(run.record().proto == doctest::Approx(2.0 / 3.0 * -std::log(1e-30)));
    CHECK(std::isfinite(run.record().total));
    for (const int view : {0, 1})
      for (const float value : run.diff(view)) CHECK(std::isfinite(value));
  }
}

TEST_CASE("NaN in a probability and labels outside the groups make the total NaN") {
  LossProblem problem = bench::random_loss_problem(9, 12, 4, kernels::kCodeLosses);
  CHECK(std::isfinite(Run(problem).record().total));
  problem.labels[3] = 4;
  CHECK(std::isnan(Run(problem).record().total));
  problem.labels[3] = -1;
  problem.cosines[1][50] = NAN;
  CHECK(std::isnan(Run(problem).record().total));
}

TEST_CASE("rejects empty batches, other shapes and a temperature of zero") {
  LossProblem problem = bench::random_loss_problem(4, 6, 3, kernels::kCodeLosses);
  Run run(problem);
  run.config.temperature = 0.0f;
  CHECK_THROWS_WITH_AS(run.again(), "[prototype_losses] expected a temperature above 0, got 0",
                       ShapeError);
  run.config.temperature = 0.1f;
  run.config.labelled_share = 1.5f;
  CHECK_THROWS_WITH_AS(run.again(),
                       "[prototype_losses] expected a share of labelled rows of 1 at most, got 1.5",
                       ShapeError);
  run.config.labelled_share = -1.0f;
  run.labels = Buffer<std::int32_t>(test_device(), 3);
  CHECK_THROWS_WITH_AS(run.again(), "[prototype_losses] expected 4 labels, got 3", ShapeError);
  run.shape = {3, 8};
  CHECK_THROWS_WITH_AS(run.again(), "[prototype_losses] expected 6 prototypes, got 8", ShapeError);
  CHECK_THROWS_AS(
      kernels::prototype_losses(test_device(), run.scratch, run.groups, {}, {}, {}, run.records),
      ShapeError);
}

TEST_SUITE_END();

}  // namespace opencd::test
