// The search for groups where a grouping algorithm does not take their number. It has one parameter
// instead; candidates run from many groups to few, and one more is opened every epoch: groups are made
// progressively. Labelled rows decide between the candidates that are open.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/contingency.hpp"
#include "opencd/grouping/grouping.hpp"
#include "opencd/grouping/louvain.hpp"
#include "opencd/match_groups.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace opencd {

/// What its parameter is.
enum class GroupingAlgorithm {
  louvain,  // the resolution: above 0, more groups the larger
  threshold,  // delta, an affinity between 0 and 1: above it prototypes are linked; more groups the larger
  /// the damping of the messages, 0.5 to below 1. It decides which exemplars the messages settle on, not
  /// how many there are: the authors search it all the same
  affinity_propagation,
};

/// As the command line has it.
std::string_view name_of(GroupingAlgorithm algorithm);

/// Candidate i of 0 .. steps is  first (last / first)^(i / steps).
struct SearchRange {
  double first = 12.0;
  double last = 2.0;
  int steps = 64;

  double at(int candidate) const;
};

/// UsageError, which says what the parameter means, for values that it cannot have or candidates that
/// would run from few groups to many.
void check_range(GroupingAlgorithm algorithm, const SearchRange& range);

struct GroupSearchOptions {
  GroupingAlgorithm algorithm = GroupingAlgorithm::louvain;
  SearchRange range;
  std::size_t classes = 0;  // the number of groups that is wanted; 0: unknown
  int first_epoch = 5;      // in which only candidate 0 is open
  std::uint32_t seed = 0;
  LouvainStop louvain_stop = LouvainStop::modularity;
};

struct GroupCandidate {
  int index = 0;
  double parameter = 0.0;
  Grouping grouping;
};

/// The groups of all candidates open in `epoch`, 0 .. epoch - first_epoch; those are left out for
/// which affinity propagation finds no exemplar.
std::vector<GroupCandidate> open_candidates(const AffinityMatrix& affinity,
                                            int epoch,
                                            const GroupSearchOptions& options);

struct FoundGroups {
  int candidate = 0;
  double parameter = 0.0;
  MatchedGroups matched;
};

/// The candidate under which most labelled rows are in the group of their class; of equally good
/// ones the earliest, which has the most groups. Candidates with fewer groups than known classes
/// are passed over; nothing if none is left, and the caller keeps the groups it has.
std::optional<FoundGroups> choose_by_labels(std::span<const GroupCandidate> candidates,
                                            const Contingency& labelled);

/// Without any labels the paper gives no rule; this one is ours. The number of groups that stays
/// the same over the longest run of consecutive candidates is taken as real: a range of the
/// parameter, on its logarithmic scale, in which nothing changes. Within the run the candidate of
/// the largest modularity at resolution 1 is chosen. Single groups and one group for all do not
/// count; of equals the earliest wins; nothing if no candidate counts.
std::optional<FoundGroups> choose_by_stability(std::span<const GroupCandidate> candidates,
                                               const AffinityMatrix& affinity);

/// With the number of classes told, which the paper leaves open: the candidate whose number of groups is
/// nearest to it; of equally near ones that with most labelled rows in the group of their class, then the
/// earliest. Candidates with fewer groups than known classes are passed over.
std::optional<FoundGroups> choose_by_number(std::span<const GroupCandidate> candidates,
                                            const Contingency& labelled,
                                            std::size_t classes);

/// The search in one epoch: by the number of classes if it is told, else by labels if there are any
/// labelled rows, else by stability.
std::optional<FoundGroups> search_groups(const AffinityMatrix& affinity,
                                         const Contingency& labelled,
                                         int epoch,
                                         const GroupSearchOptions& options);

}  // namespace opencd
