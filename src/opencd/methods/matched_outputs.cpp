#include "opencd/methods/matched_outputs.hpp"

#include "error.hpp"
#include "opencd/match_groups.hpp"
#include "opencd/methods/read_state.hpp"
#include "opencd/row_choice.hpp"

#include <algorithm>

namespace opencd {

void MatchedOutputs::match(TrainingFeatures& features, const OutputsOf& outputs_of) {
  const std::vector<std::uint32_t> rows = rows_labelled(features.labels(), true);
  if (rows.empty()) return;
  std::vector<std::int32_t> outputs(rows.size());
  std::vector<std::int32_t> classes(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) classes[i] = features.labels()[rows[i]];
  features.read(rows, false, [&](std::size_t first, Rows<const float> block) {
    const std::vector<std::int32_t> found = outputs_of(block);
    std::copy(found.begin(), found.end(), outputs.begin() + static_cast<std::ptrdiff_t>(first));
  });
  const std::size_t count = grouping_.prototypes();
  if (const auto matched =
          match_groups(single_groups(count), count_labelled(outputs, classes, count, known_)))
    grouping_ = matched->grouping;
}

void MatchedOutputs::add_to(Json& state) const {
  state["group_of"] = grouping_.group_of;
  state["groups"] = grouping_.groups;
}

void MatchedOutputs::restore(const Json& state) {
  const std::vector<std::int32_t> group_of =
      read_groups(state.at("group_of"), grouping_.prototypes());
  std::vector<std::int32_t> sorted = group_of;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != single_groups(grouping_.prototypes()).group_of)
    fail<FormatError>("[method] expected every one of {} outputs to have a group of its own",
                      grouping_.prototypes());
  grouping_.group_of = group_of;
}

}  // namespace opencd
