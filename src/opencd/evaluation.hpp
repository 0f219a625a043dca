// All scores of predicted groups against true classes, together.
#pragma once

#include "opencd/metrics.hpp"
#include "opencd/prediction.hpp"

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <vector>

namespace opencd {

struct Evaluation {
  std::string split;  // which rows: "unlabelled training rows"
  Contingency table;  // groups by classes
  GroupCount groups;
  std::size_t classes_true = 0;
  OpenWorldAccuracy orca;
  OpenWorldAccuracy gcd_v1;
  OpenWorldAccuracy gcd_v2;
  double nmi = 0.0;
  double ari = 0.0;
};

/// `classes` are places in the class order, known ones first; rows whose class nobody knows
/// (negative) do not count.
Evaluation evaluate(std::span<const Prediction> predictions,
                    std::span<const std::int32_t> classes,
                    std::size_t known,
                    std::size_t class_count,
                    const GroupCount& groups,
                    std::string split);

/// The fields of eval/summary.json.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace opencd
