#include "opencd/class_count.hpp"

#include "error.hpp"
#include "opencd/co_occurrence_affinity.hpp"
#include "opencd/grouping/kmeans.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opencd::test {

namespace {

constexpr std::size_t kDimensions = 32;
constexpr std::size_t kPrototypes = 50;
constexpr std::size_t kKappa = 3;

struct Planted {
  std::size_t classes = 10;
  double spread = 0.1;
  bool unequal = false;   // class sizes differ by up to 6 times
  double noise = 0.0;     // share of rows that lie anywhere
  double labelled = 0.1;  // share of the rows of known classes
  std::size_t known = 0;  // 0: half of the classes
  std::uint32_t seed = 1;
};

/// What a regrouping knows: prototypes spread over the rows as k-means does it.
struct Problem {
  AffinityMatrix affinity;
  Contingency labelled;
  std::vector<std::int64_t> rows;
};

void to_unit(std::span<double> row) {
  const double length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
  for (double& value : row) value /= length;
}

struct Features {
  std::vector<double> values;
  std::vector<std::int32_t> classes;

  std::span<double> row(std::size_t i) {
    return std::span(values).subspan(i * kDimensions, kDimensions);
  }
};

/// Gaussians around random directions, on the sphere.
Features features_of(const Planted& planted, Random& random) {
  std::vector<double> means(planted.classes * kDimensions);
  for (double& value : means) value = random.normal();
  std::vector<std::int32_t> classes;
  for (std::size_t c = 0; c < planted.classes; ++c) {
    to_unit(std::span(means).subspan(c * kDimensions, kDimensions));
    const double weight = planted.unequal ? random.uniform(0.3, 1.8) : 1.0;
    const double rows = weight * 4000.0 / static_cast<double>(planted.classes);
    classes.insert(classes.end(), static_cast<std::size_t>(rows), static_cast<std::int32_t>(c));
  }
  Features features{std::vector<double>(classes.size() * kDimensions), classes};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const bool anywhere = random.uniform() < planted.noise;
    const double* mean = &means[static_cast<std::size_t>(classes[i]) * kDimensions];
    for (std::size_t d = 0; d < kDimensions; ++d)
      features.row(i)[d] = anywhere ? random.normal() : mean[d] + planted.spread * random.normal();
    to_unit(features.row(i));
  }
  return features;
}

std::vector<double> prototypes_of(Features& features) {
  const RowKMeansResult clusters = row_kmeans(
      features.values, kDimensions, {.clusters = kPrototypes, .starts = 1, .iterations = 20});
  std::vector<double> prototypes(kPrototypes * kDimensions, 0.0);
  for (std::size_t i = 0; i < features.classes.size(); ++i)
    for (std::size_t d = 0; d < kDimensions; ++d)
      prototypes[static_cast<std::size_t>(clusters.cluster_of[i]) * kDimensions + d] +=
          features.row(i)[d];
  for (std::size_t k = 0; k < kPrototypes; ++k)
    to_unit(std::span(prototypes).subspan(k * kDimensions, kDimensions));
  return prototypes;
}

Problem make_problem(const Planted& planted) {
  Random random(planted.seed);
  Features features = features_of(planted, random);
  const std::vector<double> prototypes = prototypes_of(features);
  const std::size_t known = planted.known == 0 ? planted.classes / 2 : planted.known;
  std::vector<std::uint32_t> counts(kPrototypes * kPrototypes, 0);
  std::vector<std::int64_t> rows(kPrototypes, 0);
  std::vector<std::int32_t> nearest;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < features.classes.size(); ++i) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < kPrototypes; ++k)
      order.emplace_back(-std::inner_product(features.row(i).begin(), features.row(i).end(),
                                             &prototypes[k * kDimensions], 0.0),
                         k);
    std::partial_sort(order.begin(), order.begin() + kKappa, order.end());
    for (std::size_t a = 0; a < kKappa; ++a)
      for (std::size_t b = 0; b < kKappa; ++b)
        ++counts[order[a].second * kPrototypes + order[b].second];
    ++rows[order[0].second];
    if (static_cast<std::size_t>(features.classes[i]) >= known ||
        random.uniform() >= planted.labelled)
      continue;
    nearest.push_back(static_cast<std::int32_t>(order[0].second));
    labels.push_back(features.classes[i]);
  }
  return {co_occurrence_affinity(counts, {}, kPrototypes, {}),
          count_contingency(nearest, labels, kPrototypes, known), rows};
}

ClassCount count(const Problem& problem) {
  return count_classes(problem.affinity, problem.labelled, problem.rows);
}

Contingency no_labels() { return count_contingency({}, {}, kPrototypes, 0); }

void check_within_a_fifth(std::size_t found, std::size_t truth) {
  CHECK_GE(5 * found, 4 * truth);
  CHECK_LE(5 * found, 6 * truth);
}

}  // namespace

TEST_SUITE_BEGIN("opencd/class_count");

TEST_CASE("planted classes, half of them known, are counted within a fifth") {
  for (const std::size_t classes : {5, 10, 20, 40})
    for (const double spread : {0.1, 0.15})
      for (const std::uint32_t seed : {1u, 2u}) {
        CAPTURE(classes);
        CAPTURE(spread);
        CAPTURE(seed);
        const ClassCount result =
            count(make_problem({.classes = classes, .spread = spread, .seed = seed}));
        check_within_a_fifth(result.found, classes);
        CHECK_LE(result.least, result.found);
        CHECK_GE(result.most, result.found);
        CHECK(result.rule == ClassCountRule::hidden_classes);
        // with fewer than five prototypes a class the graph itself may have another number
        if (5 * classes <= kPrototypes) {
          CHECK_LE(result.least, classes);
          CHECK_GE(result.most, classes);
        }
      }
}

TEST_CASE("so are classes of unequal size with rows that lie anywhere") {
  for (const std::size_t classes : {5, 10, 20, 40}) {
    CAPTURE(classes);
    check_within_a_fifth(
        count(make_problem({.classes = classes, .spread = 0.12, .unequal = true, .noise = 0.03}))
            .found,
        classes);
  }
}

TEST_CASE("without labels a stable number is found where classes have prototypes enough") {
  for (const std::size_t classes : {5, 10}) {
    CAPTURE(classes);
    const Problem problem = make_problem({.classes = classes, .labelled = 0.0});
    const ClassCount result = count_classes(problem.affinity, no_labels(), problem.rows);
    CHECK_EQ(result.found, classes);
    CHECK(result.rule == ClassCountRule::stability);
    CHECK_EQ(result.score, 0.0);
  }
}

TEST_CASE("one known class and one label are enough not to fail") {
  const Problem problem = make_problem({.classes = 10, .known = 1});
  check_within_a_fifth(count(problem).found, 10);
  const Contingency one_label =
      count_contingency(std::vector<std::int32_t>{7}, std::vector<std::int32_t>{0}, kPrototypes, 1);
  check_within_a_fifth(count_classes(problem.affinity, one_label, problem.rows).found, 10);
}

TEST_CASE("a group without rows is no class") {
  const Problem problem = make_problem({.classes = 10});
  constexpr std::size_t dead = 7;
  constexpr std::size_t size = kPrototypes + dead;
  std::vector<double> values(size * size, 0.0);
  for (std::size_t i = 0; i < kPrototypes; ++i)
    std::copy(problem.affinity.row(i).begin(), problem.affinity.row(i).end(), &values[i * size]);
  std::vector<std::int64_t> rows = problem.rows;
  rows.resize(size, 0);
  Contingency labelled = problem.labelled;
  labelled.groups = size;
  labelled.counts.resize(size * labelled.classes, 0);
  const ClassCount result = count_classes({values, size}, labelled, rows);
  CHECK_EQ(result.found, count(problem).found);
  CHECK_EQ(result.grouping.groups, result.found + dead);
}

TEST_CASE("there are at least as many classes as have labels") {
  // labels that contradict the graph: every prototype of one block is a class of its own
  const Problem problem = make_problem({.classes = 5});
  std::vector<std::int32_t> nearest(30);
  std::iota(nearest.begin(), nearest.end(), 0);
  const Contingency labelled = count_contingency(nearest, nearest, kPrototypes, 30);
  CHECK_GE(count_classes(problem.affinity, labelled, problem.rows).found, 30);
}

TEST_CASE("a graph without edges and a single prototype are counted") {
  const std::vector<std::int64_t> rows(4, 10);
  const AffinityMatrix none(std::vector<double>(16, 0.0), 4);
  CHECK_EQ(count_classes(none, count_contingency({}, {}, 4, 0), rows).found, 4);
  const AffinityMatrix single(std::vector<double>{0.0}, 1);
  CHECK_EQ(
      count_classes(single, count_contingency({}, {}, 1, 0), std::vector<std::int64_t>{3}).found,
      1);
}

TEST_CASE("counts of another number of prototypes are refused") {
  const AffinityMatrix none(std::vector<double>(16, 0.0), 4);
  const std::vector<std::int64_t> rows(4, 10);
  CHECK_THROWS_AS(count_classes(none, count_contingency({}, {}, 5, 0), rows), ShapeError);
  CHECK_THROWS_AS(
      count_classes(none, count_contingency({}, {}, 4, 0), std::vector<std::int64_t>(3, 1)),
      ShapeError);
  CHECK_THROWS_AS(count_classes(none, count_contingency({}, {}, 4, 0), rows, {.candidates = 0}),
                  UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
