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
constexpr std::uint32_t kSets = 5;  // of prototypes

struct Planted {
  std::size_t classes = 10;
  double spread = 0.1;
  bool unequal = false;   // class sizes differ by up to 6 times
  double noise = 0.0;     // share of rows that lie anywhere
  double labelled = 0.1;  // share of the rows of known classes
  std::size_t known = 0;  // 0: half of the classes
  std::uint32_t seed = 1;
};

using Sets = std::vector<PrototypeEvidence>;

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

std::vector<double> prototypes_of(Features& features, std::uint32_t seed) {
  const RowKMeansResult clusters =
      row_kmeans(features.values, kDimensions,
                 {.clusters = kPrototypes, .starts = 1, .iterations = 20, .seed = seed});
  std::vector<double> prototypes(kPrototypes * kDimensions, 0.0);
  for (std::size_t i = 0; i < features.classes.size(); ++i)
    for (std::size_t d = 0; d < kDimensions; ++d)
      prototypes[static_cast<std::size_t>(clusters.cluster_of[i]) * kDimensions + d] +=
          features.row(i)[d];
  for (std::size_t k = 0; k < kPrototypes; ++k)
    to_unit(std::span(prototypes).subspan(k * kDimensions, kDimensions));
  return prototypes;
}

PrototypeEvidence evidence_of(Features& features,
                              const std::vector<std::int32_t>& labels,
                              std::size_t known,
                              std::uint32_t seed) {
  const std::vector<double> prototypes = prototypes_of(features, seed);
  std::vector<std::uint32_t> counts(kPrototypes * kPrototypes, 0);
  std::vector<std::int32_t> nearest;
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
    nearest.push_back(static_cast<std::int32_t>(order[0].second));
  }
  return make_evidence(co_occurrence_affinity(counts, {}, kPrototypes, {}), nearest,
                       {labels, known});
}

/// What a regrouping knows: sets of prototypes spread over the rows as k-means does it.
Sets make_sets(const Planted& planted) {
  Random random(planted.seed);
  Features features = features_of(planted, random);
  const std::size_t known = planted.known == 0 ? planted.classes / 2 : planted.known;
  std::vector<std::int32_t> labels;
  for (const std::int32_t cls : features.classes) {
    const bool labelled =
        static_cast<std::size_t>(cls) < known && random.uniform() < planted.labelled;
    labels.push_back(labelled ? cls : -1);
  }
  Sets sets;
  for (std::uint32_t seed = 0; seed < kSets; ++seed)
    sets.push_back(evidence_of(features, labels, known, seed));
  return sets;
}

PrototypeEvidence with_labels(PrototypeEvidence evidence, Contingency labelled) {
  evidence.labelled = std::move(labelled);
  return evidence;
}

/// Of prototypes without labelled rows.
PrototypeEvidence unlabelled(AffinityMatrix affinity) {
  const std::size_t size = affinity.size();
  return {std::move(affinity), count_contingency({}, {}, size, 0), std::vector<double>(size, 10.0)};
}

bool within_a_fifth(std::size_t found, std::size_t truth) {
  return 5 * found >= 4 * truth && 5 * found <= 6 * truth;
}

void check_within_a_fifth(std::size_t found, std::size_t truth) {
  CHECK_GE(5 * found, 4 * truth);
  CHECK_LE(5 * found, 6 * truth);
}

}  // namespace

TEST_SUITE_BEGIN("opencd/class_count");

struct Draws {
  std::size_t classes;
  std::uint32_t count;
};

/// Of few classes they are quick, and chance has most to say there. Sanitizers look at memory, not at
/// numbers, and take ten times as long.
std::vector<Draws> draws() {
#ifdef __SANITIZE_ADDRESS__
  return {{5, 1}, {10, 1}};
#else
  return {{5, 3}, {10, 2}, {20, 1}, {40, 1}};
#endif
}

TEST_CASE("planted classes, half of them known, are counted within a fifth") {
  int problems = 0;
  int held = 0;
  int unequal_problems = 0;
  int unequal_within = 0;
  for (const auto& [truth, count] : draws())
    for (const double spread : {0.1, 0.2})
      for (const bool unequal : {false, true})
        for (const double labelled : {0.1, 0.03})
          for (std::uint32_t seed = 1; seed <= count; ++seed) {
            const ClassCount result = count_classes(make_sets({.classes = truth,
                                                               .spread = spread,
                                                               .unequal = unequal,
                                                               .noise = unequal ? 0.03 : 0.0,
                                                               .labelled = labelled,
                                                               .seed = seed}));
            CAPTURE(truth);
            CAPTURE(spread);
            CAPTURE(labelled);
            CAPTURE(seed);
            CHECK_LE(result.least, result.found);
            CHECK_GE(result.most, result.found);
            CHECK(result.rule == ClassCountRule::hidden_classes);
            ++problems;
            held += static_cast<int>(result.least <= truth && truth <= result.most);
            if (!unequal) {
              check_within_a_fifth(result.found, truth);
            } else {
              ++unequal_problems;
              unequal_within += static_cast<int>(within_a_fifth(result.found, truth));
            }
          }
  CHECK_GE(10 * held, 9 * problems);  // nine tenths of the weight make the interval
  // Sizes that differ six times, and a row in thirty anywhere: seven draws of eight, by 144 others.
  CHECK_GE(4 * unequal_within, 3 * unequal_problems);
}

TEST_CASE("without labels a stable number is found where classes have prototypes enough") {
  for (const std::size_t classes : {5, 10}) {
    CAPTURE(classes);
    const ClassCount result = count_classes(make_sets({.classes = classes, .labelled = 0.0}));
    CHECK_EQ(result.found, classes);
    CHECK(result.rule == ClassCountRule::stability);
    CHECK_EQ(result.score, 0.0);
  }
}

TEST_CASE("one set of prototypes is enough to count with, and is grouped by the count") {
  const Sets sets = make_sets({.classes = 10});
  const ClassCount result = count_classes(std::span(sets).first(1));
  check_within_a_fifth(result.found, 10);
  CHECK_EQ(result.own, result.found);
  CHECK_EQ(groups_with_rows(result.grouping, sets.front().rows), result.found);
}

TEST_CASE("one known class and one label are enough not to fail") {
  const Sets sets = make_sets({.classes = 10, .known = 1});
  check_within_a_fifth(count_classes(sets).found, 10);
  const Contingency one_label =
      count_contingency(std::vector<std::int32_t>{7}, std::vector<std::int32_t>{0}, kPrototypes, 1);
  check_within_a_fifth(count_classes(Sets{with_labels(sets.front(), one_label)}).found, 10);
}

TEST_CASE("a group without rows is no class") {
  const Sets sets = make_sets({.classes = 10});
  const PrototypeEvidence& living = sets.front();
  constexpr std::size_t dead = 7;
  constexpr std::size_t size = kPrototypes + dead;
  std::vector<double> values(size * size, 0.0);
  for (std::size_t i = 0; i < kPrototypes; ++i)
    std::copy(living.affinity.row(i).begin(), living.affinity.row(i).end(), &values[i * size]);
  PrototypeEvidence more{{values, size}, living.labelled, living.rows};
  more.rows.resize(size, 0);
  more.labelled.groups = size;
  more.labelled.counts.resize(size * more.labelled.classes, 0);
  const ClassCount result = count_classes(Sets{more});
  CHECK_EQ(result.found, count_classes(Sets{living}).found);
  CHECK_EQ(result.grouping.groups, result.own + dead);
}

TEST_CASE("there are at least as many classes as have labels") {
  // labels that contradict the graph: every prototype of one block is a class of its own
  const Sets sets = make_sets({.classes = 5});
  std::vector<std::int32_t> nearest(30);
  std::iota(nearest.begin(), nearest.end(), 0);
  const Contingency labelled = count_contingency(nearest, nearest, kPrototypes, 30);
  CHECK_GE(count_classes(Sets{with_labels(sets.front(), labelled)}).found, 30);
}

TEST_CASE("a graph without edges and a single prototype are counted") {
  CHECK_EQ(count_classes(Sets{unlabelled({std::vector<double>(16, 0.0), 4})}).found, 4);
  CHECK_EQ(count_classes(Sets{unlabelled({std::vector<double>{0.0}, 1})}).found, 1);
}

TEST_CASE("no set and counts of another number of prototypes are refused") {
  CHECK_THROWS_AS(count_classes({}), ShapeError);
  const PrototypeEvidence fits = unlabelled({std::vector<double>(16, 0.0), 4});
  CHECK_THROWS_AS(count_classes(Sets{with_labels(fits, count_contingency({}, {}, 5, 0))}),
                  ShapeError);
  PrototypeEvidence short_of_rows = fits;
  short_of_rows.rows.pop_back();
  CHECK_THROWS_AS(count_classes(Sets{short_of_rows}), ShapeError);
  CHECK_THROWS_AS(count_classes(Sets{fits}, {.candidates = 0}), UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
