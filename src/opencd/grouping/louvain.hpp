// Louvain's method (Blondel et al., J. Stat. Mech. P10008, 2008): groups that maximise modularity,
//
//   Q = sum over groups C of  in_C / m - resolution (degree_C / 2m)^2,
//
// m the weight of all edges, in_C of those inside C, degree_C the sum of its nodes' degrees. A
// larger resolution gives more groups. W[i][i] is a loop of that weight and counts twice in i's
// degree.
#pragma once

#include "opencd/affinity_matrix.hpp"
#include "opencd/grouping/grouping.hpp"

#include <cstdint>

namespace opencd {

/// What has to grow by 1e-7 for another pass over the nodes, and for another level.
enum class LouvainStop {
  modularity,  // Q
  /// sum of  resolution in_C / m - (degree_C / 2m)^2: the other form that python-louvain 0.16, and
  /// so OpenNCD's code, tests while it moves nodes by Q.
  python_louvain,
};

struct LouvainOptions {
  double resolution = 1.0;
  std::uint32_t seed = 0;  // of the order in which nodes are visited
  int starts = 1;          // runs in other orders, of which the one with the largest Q is returned
  LouvainStop stop = LouvainStop::modularity;
};

Grouping louvain(const AffinityMatrix& affinity, const LouvainOptions& options);

/// Q of any grouping; 0 for a graph without edges.
double modularity(const AffinityMatrix& affinity,
                  const Grouping& grouping,
                  double resolution = 1.0);

}  // namespace opencd
