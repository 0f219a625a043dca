#include "bench/discover.hpp"

#include "bench/reference.hpp"
#include "kernels/co_occurrence.hpp"
#include "kernels/normalize.hpp"
#include "kernels/top_k.hpp"
#include "nn/gemm.hpp"
#include "opencd/class_count.hpp"
#include "opencd/grouping/louvain.hpp"
#include "opencd/grouping/spectral.hpp"
#include "opencd/kmeans.hpp"
#include "opencd/match_groups.hpp"
#include "opencd/methods/open_ncd_grouping.hpp"
#include "opencd/metrics.hpp"
#include "opencd/prototype_sets.hpp"

#include <algorithm>
#include <memory>

namespace opencd::bench {

namespace {

using kernels::Buffer;
using kernels::Rows;

constexpr std::size_t kRows = 50'000;
constexpr std::size_t kDimensions = 32;
constexpr float kSpread = 0.35f;  // of a coordinate, uniform, before rows are made unit length

/// Unit rows around random directions: row i is of class i % classes.
std::vector<float> planted(std::size_t rows,
                           std::size_t columns,
                           std::size_t classes,
                           std::uint32_t stream) {
  const std::vector<float> means = random_values(classes * columns, 40);
  std::vector<float> values = random_values(rows * columns, stream);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = kSpread * values[i] + means[i / columns % classes * columns + i % columns];
  return values;
}

Buffer<float> unit_rows(kernels::Device& device, const std::vector<float>& values) {
  Buffer<float> rows = to_device(device, values);
  const std::size_t count = values.size() / kDimensions;
  Buffer<float> norms(device, count);
  const Rows<float> view = rows.rows(count, kDimensions);
  kernels::normalize_rows(device, view, view, norms);
  device.wait();
  return rows;
}

/// Rows and prototypes of a regrouping, five prototypes a class.
struct Problem {
  const nn::Engine& engine;
  std::size_t classes;
  std::size_t kappa;
  std::size_t size;  // prototypes
  Buffer<float> features;
  Buffer<float> prototypes;
  Buffer<std::int32_t> nearest;
  PrototypeAffinity affinity;

  Problem(const nn::Engine& where, std::size_t class_count, std::size_t nearest_prototypes)
      : engine(where),
        classes(class_count),
        kappa(nearest_prototypes),
        size(5 * class_count),
        features(unit_rows(where.device(), planted(kRows, kDimensions, classes, 41))),
        prototypes(unit_rows(where.device(), planted(size, kDimensions, classes, 42))),
        nearest(where.device(), kRows),
        affinity(where, {.prototypes = size, .dimensions = kDimensions, .kappa = kappa}) {}

  AffinityMatrix find_affinity() {
    affinity.begin(prototypes.rows(size, kDimensions));
    affinity.add(features.rows(kRows, kDimensions), nearest);
    return affinity.finish();
  }

  /// The nearest prototypes of all rows.
  Buffer<std::int32_t> lists() const {
    Buffer<float> cosines(engine.device(), kRows * size);
    Buffer<std::int32_t> indices(engine.device(), kRows * kappa);
    nn::gemm(engine, prototypes.rows(size, kDimensions), features.rows(kRows, kDimensions),
             cosines.rows(size, kRows), {.transpose_right = true});
    kernels::top_k_columns(engine.device(), cosines.rows(size, kRows), indices.rows(kRows, kappa));
    engine.device().wait();
    return indices;
  }

  /// A tenth of the rows of the first half of the classes is labelled; -1 elsewhere.
  std::vector<std::int32_t> class_of_row() const {
    std::vector<std::int32_t> given(kRows, -1);
    for (std::size_t row = 0; row < kRows; row += 10) {
      const std::size_t cls = (row / 10 + row) % classes;  // so that every class has its turn
      const std::size_t at = row - row % classes + cls;
      if (cls < classes / 2 && at < kRows) given[at] = static_cast<std::int32_t>(cls);
    }
    return given;
  }

  Contingency labelled() const {
    return count_labelled(to_host(engine.device(), nearest), class_of_row(), size, classes / 2);
  }

  /// Prototype k was planted in class k % classes.
  double agreement(const Grouping& grouping) const {
    std::vector<std::int32_t> truth(size);
    for (std::size_t k = 0; k < size; ++k) truth[k] = static_cast<std::int32_t>(k % classes);
    return adjusted_rand_index(
        count_contingency(grouping.group_of, truth, grouping.groups, classes));
  }
};

using SharedProblem = std::shared_ptr<Problem>;

Case case_of(const SharedProblem& problem, const std::string& name, std::function<void()> run) {
  Case result;
  result.name = name;
  result.params = {{"rows", kRows}, {"prototypes", problem->size}, {"kappa", problem->kappa}};
  result.work = static_cast<double>(kRows);
  result.unit = "row";
  result.run = std::move(run);
  return result;
}

/// Counting by hand from the same lists.
std::vector<std::uint32_t> count_lists(const Problem& problem,
                                       const std::vector<std::int32_t>& lists) {
  std::vector<std::uint32_t> counts(problem.size * problem.size, 0);
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t a = 0; a < problem.kappa; ++a)
      for (std::size_t b = 0; b < problem.kappa; ++b) {
        const auto i = static_cast<std::size_t>(lists[row * problem.kappa + a]);
        const auto j = static_cast<std::size_t>(lists[row * problem.kappa + b]);
        if (i <= j) ++counts[i * problem.size + j];
      }
  return counts;
}

/// From features to the affinity matrix on the host.
Case affinity_case(const SharedProblem& problem) {
  Case result = case_of(problem, "affinity", [problem] { problem->find_affinity(); });
  result.check = [problem]() -> std::string {
    const auto counts = count_lists(*problem, to_host(problem->engine.device(), problem->lists()));
    const AffinityMatrix expected = co_occurrence_affinity(counts, {}, problem->size, {});
    const AffinityMatrix found = problem->find_affinity();
    const bool equal =
        std::equal(found.values().begin(), found.values().end(), expected.values().begin());
    return equal ? "" : "the affinity differs from the one counted on the host";
  };
  return result;
}

/// From lists of nearest prototypes to the affinity matrix: what the published double loop does.
Case counting_case(const SharedProblem& problem) {
  kernels::Device& device = problem->engine.device();
  auto lists = std::make_shared<Buffer<std::int32_t>>(problem->lists());
  const std::size_t rows = kernels::count_tables(problem->size) * problem->size;
  auto counts = std::make_shared<Buffer<std::uint32_t>>(device, rows * problem->size);
  const auto count = [&device, problem, lists, counts, rows] {
    const Rows<std::uint32_t> tables = counts->rows(rows, problem->size);
    kernels::clear_counts(device, *counts);
    kernels::add_co_occurrences(device, lists->rows(kRows, problem->kappa), tables);
    return to_host(device, kernels::join_counts(device, tables).flat());
  };
  Case result = case_of(problem, "counting", [problem, count] {
    co_occurrence_affinity(count(), {}, problem->size, {});
  });
  result.check = [&device, problem, lists, count]() -> std::string {
    return count() == count_lists(*problem, to_host(device, *lists))
               ? ""
               : "the counts differ from those of the host";
  };
  return result;
}

/// A grouping algorithm on the host, given the affinity.
Case grouping_case(const SharedProblem& problem,
                   const std::string& name,
                   const std::function<Grouping(const AffinityMatrix&)>& group) {
  auto affinity = std::make_shared<AffinityMatrix>(problem->find_affinity());
  Case result = case_of(problem, name, [affinity, group] { group(*affinity); });
  result.check = [problem, affinity, group] {
    const double agreement = problem->agreement(group(*affinity));
    return agreement > 0.8 ? "" : fmt::format("agrees with the planted groups by {}", agreement);
  };
  return result;
}

/// What the rows say about the prototypes and about eight other sets.
std::vector<PrototypeEvidence> evidence_about_nine_sets(Problem& problem,
                                                        std::span<const std::int32_t> given) {
  return evidence_about_sets(
      problem.engine, problem.affinity, problem.prototypes.rows(problem.size, kDimensions),
      problem.features.rows(kRows, kDimensions), {given, problem.classes / 2}, 8, 0);
}

/// From features to the number of classes, asked of nine sets of prototypes.
Case class_count_case(const SharedProblem& problem) {
  const auto count = [problem, given = problem->class_of_row()] {
    return count_classes(evidence_about_nine_sets(*problem, given)).found;
  };
  Case result = case_of(problem, "class_count", [count] { count(); });
  result.check = [problem, count]() -> std::string {
    const std::size_t found = count();
    const bool near = 5 * found >= 4 * problem->classes && 5 * found <= 6 * problem->classes;
    return near ? "" : fmt::format("found {} of {} classes", found, problem->classes);
  };
  return result;
}

/// All of a regrouping but the feature pass: affinity, grouping, matching to known classes.
Case regroup_case(const SharedProblem& problem) {
  const auto regroup = [problem] {
    const Grouping grouping = spectral(problem->find_affinity(), {.groups = problem->classes});
    return match_groups(grouping, problem->labelled());
  };
  Case result = case_of(problem, "regroup", [regroup] { regroup(); });
  result.check = [regroup]() -> std::string {
    const auto matched = regroup();
    if (!matched) return "there are fewer groups than known classes";
    const double right = matched->labelled.fraction();
    return right > 0.8 ? "" : fmt::format("{} of the labelled rows are in their group", right);
  };
  return result;
}

/// The same by labels and the consensus of nine sets, as the preset `small` has it.
Case regroup_by_sets_case(const SharedProblem& problem) {
  const auto regroup = [problem, given = problem->class_of_row()] {
    return group_prototypes({.grouping_sets = 9, .grouping_labels = true},
                            evidence_about_nine_sets(*problem, given), problem->classes, 0, 0);
  };
  Case result = case_of(problem, "regroup_by_sets", [regroup] { regroup(); });
  result.check = [regroup]() -> std::string {
    const auto found = regroup();
    if (!found) return "there are fewer groups than known classes";
    const double right = found->labelled_accuracy;
    return right > 0.8 ? "" : fmt::format("{} of the labelled rows are in their group", right);
  };
  return result;
}

Case kmeans_case(const nn::Engine& engine) {
  constexpr std::size_t columns = 512;
  constexpr std::size_t clusters = 10;
  auto rows = std::make_shared<Buffer<float>>(
      to_device(engine.device(), planted(kRows, columns, clusters, 43)));
  const auto cluster = [&engine, rows] {
    return kmeans(engine, rows->rows(kRows, columns), {.clusters = clusters, .starts = 1});
  };
  Case result;
  result.name = "kmeans";
  result.params = {{"rows", kRows}, {"columns", columns}, {"clusters", clusters}, {"starts", 1}};
  result.work = static_cast<double>(kRows);
  result.unit = "row";
  result.run = [cluster] { cluster(); };
  result.check = [cluster]() -> std::string {
    const KMeansResult found = cluster();
    for (std::size_t row = clusters; row < kRows; ++row)
      if (found.cluster_of[row] != found.cluster_of[row % clusters])
        return fmt::format("row {} is not in the cluster of its class", row);
    return "";
  };
  return result;
}

}  // namespace

std::vector<Result> run_discover_suite(const nn::Engine& engine,
                                       const std::filesystem::path& map_of,
                                       const MeasureOptions& options) {
  if (!map_of.empty()) return {measure(engine.device(), tsne_case(engine, map_of), options)};
  std::vector<Result> results;
  const auto time = [&](const Case& what) {
    results.push_back(measure(engine.device(), what, options));
  };
  for (const std::size_t classes : {10, 100}) {
    for (const std::size_t kappa : {3, 10}) {
      const auto problem = std::make_shared<Problem>(engine, classes, kappa);
      time(affinity_case(problem));
      time(counting_case(problem));
    }
    const auto problem = std::make_shared<Problem>(engine, classes, 3);
    time(grouping_case(problem, "louvain", [](const AffinityMatrix& affinity) {
      return louvain(affinity, {.resolution = 2.0});
    }));
    time(grouping_case(problem, "spectral", [classes](const AffinityMatrix& affinity) {
      return spectral(affinity, {.groups = classes});
    }));
    time(class_count_case(problem));
    time(regroup_case(problem));
    time(regroup_by_sets_case(problem));
  }
  time(kmeans_case(engine));
  return results;
}

}  // namespace opencd::bench
