// How a classifier of known classes is brought into the open world (FixMatch, DS3L): the rows that it
// is least sure of are called novel, and k-means splits them into the classes that are missing. How
// many rows are novel must be given as a share of the unlabelled ones; the comparison of the paper
// takes the true share.
#pragma once

#include "opencd/methods/feature_centres.hpp"

#include <algorithm>

namespace opencd {

/// What a classifier of known classes makes of rows.
struct ClassifiedRows {
  std::vector<Prediction> predictions;
  std::vector<float> scores;  // how sure it is that a row is of a known class; finite
};

/// Outputs of a classifier of known classes. One where none is known, which LeastSure then refuses.
inline std::int64_t known_outputs(const MethodContext& context) {
  return static_cast<std::int64_t>(std::max<std::size_t>(1, context.known));
}

class LeastSure {
 public:
  /// UsageError if the number of classes is not given, or nothing is known, or the share of novel
  /// rows is not from 0 to 1.
  LeastSure(const MethodContext& context, const char* method, double novel_share);

  using Classify = std::function<ClassifiedRows(Rows<const float> features)>;
  /// Finds the score below which a row is novel, and the centres of novel rows.
  void find(TrainingFeatures& features, const Classify& classify);

  /// The predictions, novel ones where the score is too low; before `find` none are.
  std::vector<Prediction> predict(Rows<const float> features, ClassifiedRows classified) const;

  GroupCount groups() const;
  Json state() const;
  /// Throws FormatError if it does not fit, Json::exception if it does not read.
  void restore(const Json& state);

 private:
  std::size_t novel_classes() const { return context_.classes - context_.known; }

  MethodContext context_;
  double novel_share_;
  double threshold_ = 0.0;  // of the score, where there are centres
  FeatureCentres centres_;
};

}  // namespace opencd
