#include "opencd/evaluation.hpp"

#include <algorithm>
#include <set>

namespace opencd {

namespace {

nlohmann::ordered_json to_json(const OpenWorldAccuracy& accuracy) {
  return {{"known", accuracy.known.fraction()},
          {"novel", accuracy.novel.fraction()},
          {"all", accuracy.all.fraction()}};
}

}  // namespace

Evaluation evaluate(std::span<const Prediction> predictions,
                    std::span<const std::int32_t> classes,
                    std::size_t known,
                    std::size_t class_count,
                    const GroupCount& groups,
                    std::string split) {
  std::vector<std::int32_t> groups_of_rows;
  std::vector<std::int32_t> classes_of_rows;
  std::size_t columns = known;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (classes[i] < 0) continue;
    groups_of_rows.push_back(predictions[i].group);
    classes_of_rows.push_back(classes[i]);
    columns = std::max(columns, static_cast<std::size_t>(predictions[i].group) + 1);
  }
  Evaluation result;
  result.split = std::move(split);
  result.groups = groups;
  result.classes_true =
      std::set<std::int32_t>(classes_of_rows.begin(), classes_of_rows.end()).size();
  result.table = count_contingency(groups_of_rows, classes_of_rows, columns, class_count);
  result.orca = orca_accuracy(result.table, known);
  result.gcd_v1 = gcd_v1_accuracy(result.table, known);
  result.gcd_v2 = gcd_v2_accuracy(result.table, known);
  result.nmi = normalized_mutual_information(result.table);
  result.ari = adjusted_rand_index(result.table);
  return result;
}

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
  return {{"rows", evaluation.table.rows()},
          {"classes_true", evaluation.classes_true},
          {"classes_found", evaluation.groups.found},
          {"classes_interval", {evaluation.groups.low, evaluation.groups.high}},
          {"orca", to_json(evaluation.orca)},
          {"gcd_v1", to_json(evaluation.gcd_v1)},
          {"gcd_v2", to_json(evaluation.gcd_v2)},
          {"nmi", evaluation.nmi},
          {"ari", evaluation.ari},
          {"split", evaluation.split}};
}

}  // namespace opencd
