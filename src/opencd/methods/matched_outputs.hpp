// The outputs of a method that cannot name classes, matched to the known classes by the labelled
// rows, so that predictions can say names: output o stands for group `grouping().group_of[o]`, known
// classes first. What is learned does not depend on it.
#pragma once

#include "opencd/grouping/grouping.hpp"
#include "opencd/method.hpp"

namespace opencd {

class MatchedOutputs {
 public:
  MatchedOutputs(std::size_t outputs, std::size_t known)
      : known_(known), grouping_(single_groups(outputs)) {}

  const Grouping& grouping() const { return grouping_; }

  /// Matches anew by what `outputs_of` makes of the labelled rows' features; without labelled rows
  /// outputs keep their numbers.
  using OutputsOf = std::function<std::vector<std::int32_t>(Rows<const float> features)>;
  void match(TrainingFeatures& features, const OutputsOf& outputs_of);

  /// For the state of a checkpoint: "group_of" and "groups".
  void add_to(Json& state) const;
  /// Throws FormatError if it does not fit, Json::exception if it does not read.
  void restore(const Json& state);

 private:
  std::size_t known_;
  Grouping grouping_;
};

}  // namespace opencd
