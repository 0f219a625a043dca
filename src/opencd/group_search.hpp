// The progressive search for groups while the number of classes is unknown. A grouping algorithm
// has one parameter that steers how many groups it finds; candidates run from many groups to few,
// and one more is opened every epoch.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/contingency.hpp"
#include "opencd/grouping/grouping.hpp"
#include "opencd/grouping/louvain.hpp"
#include "opencd/match_groups.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace opencd {

enum class GroupingAlgorithm {
  louvain,               // parameter: resolution
  threshold,             // delta
  affinity_propagation,  // damping
};

/// Candidate i of 0 .. steps is  first (last / first)^(i / steps).
struct ParameterRange {
  double first = 12.0;
  double last = 2.0;
  int steps = 64;

  double at(int candidate) const;
};

struct GroupSearchOptions {
  GroupingAlgorithm algorithm = GroupingAlgorithm::louvain;
  ParameterRange range;
  int first_epoch = 5;  // in which only candidate 0 is open
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

/// The search in one epoch: by labels if there are any labelled rows, else by stability.
std::optional<FoundGroups> search_groups(const AffinityMatrix& affinity,
                                         const Contingency& labelled,
                                         int epoch,
                                         const GroupSearchOptions& options);

}  // namespace opencd
