#include "opencd/grouping/louvain.hpp"

#include "error.hpp"
#include "opencd/grouping/random_sequence.hpp"

#include <cmath>
#include <numeric>

namespace opencd {

namespace {

constexpr double kLeastGrowth = 1e-7;

/// Edges of node i are the entries starts[i] .. starts[i + 1]; loops are kept apart.
struct Graph {
  std::vector<std::size_t> starts = {0};
  std::vector<std::int32_t> neighbours;
  std::vector<double> weights;
  std::vector<double> loops;
  std::vector<double> degrees;  // sum of the weights, loops twice
  double total = 0.0;           // m

  std::size_t size() const { return loops.size(); }

  /// Nodes are added in order; `row` holds the weights to all nodes.
  void add_node(std::span<const double> row) {
    const std::size_t node = size();
    double degree = 0.0;
    for (std::size_t other = 0; other < row.size(); ++other) {
      if (other == node || row[other] == 0.0) continue;
      neighbours.push_back(static_cast<std::int32_t>(other));
      weights.push_back(row[other]);
      degree += row[other];
    }
    starts.push_back(neighbours.size());
    loops.push_back(row[node]);
    degrees.push_back(degree + 2.0 * row[node]);
    total += 0.5 * degrees.back();
  }
};

Graph graph_of(const AffinityMatrix& affinity) {
  Graph graph;
  graph.neighbours.reserve(affinity.values().size());
  graph.weights.reserve(affinity.values().size());
  for (std::size_t node = 0; node < affinity.size(); ++node) graph.add_node(affinity.row(node));
  return graph;
}

/// Every group becomes one node; what was inside becomes its loop.
Graph aggregate(const Graph& graph, const Grouping& grouping) {
  const std::size_t groups = grouping.groups;
  std::vector<double> sums(groups * groups, 0.0);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    const auto group = static_cast<std::size_t>(grouping.group_of[node]);
    double* row = &sums[group * groups];
    row[group] += graph.loops[node];
    for (std::size_t edge = graph.starts[node]; edge < graph.starts[node + 1]; ++edge) {
      const auto other = static_cast<std::size_t>(
          grouping.group_of[static_cast<std::size_t>(graph.neighbours[edge])]);
      row[other] += other == group ? 0.5 * graph.weights[edge] : graph.weights[edge];
    }
  }
  Graph result;
  for (std::size_t group = 0; group < groups; ++group)
    result.add_node(std::span(sums).subspan(group * groups, groups));
  return result;
}

/// One level: nodes move between communities, at first one each, as long as that pays.
class LocalMoving {
 public:
  LocalMoving(const Graph& graph, const LouvainOptions& options)
      : graph_(graph),
        options_(options),
        community_(graph.size()),
        inside_(graph.loops),
        degree_(graph.degrees),
        weight_to_(graph.size(), 0.0) {
    std::iota(community_.begin(), community_.end(), 0);
  }

  void run(RandomSequence& random) {
    std::vector<std::size_t> order(graph_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    double before = quality();
    for (bool growing = true; growing;) {
      random.shuffle(order);
      bool moved = false;
      for (const std::size_t node : order) moved |= move(node);
      const double after = quality();
      growing = moved && after - before >= kLeastGrowth;
      before = after;
    }
  }

  /// The quantity that the stop test watches.
  double quality() const {
    const bool textbook = options_.stop == LouvainStop::modularity;
    const double inside_factor = (textbook ? 1.0 : options_.resolution) / graph_.total;
    const double null_factor = textbook ? options_.resolution : 1.0;
    double sum = 0.0;
    for (std::size_t c = 0; c < inside_.size(); ++c) {
      const double share = degree_[c] / (2.0 * graph_.total);
      sum += inside_factor * inside_[c] - null_factor * share * share;
    }
    return sum;
  }

  const std::vector<std::int32_t>& community() const { return community_; }

 private:
  /// Takes the node out and puts it where  w(node, C) - resolution degree(node) degree(C) / 2m  is
  /// largest; it stays unless another community is better.
  bool move(std::size_t node) {
    collect_neighbours(node);
    const auto home = static_cast<std::size_t>(community_[node]);
    degree_[home] -= graph_.degrees[node];
    const double factor = options_.resolution * graph_.degrees[node] / (2.0 * graph_.total);
    std::size_t best = home;
    double best_value = weight_to_[home] - factor * degree_[home];
    for (const std::size_t c : touched_) {
      const double value = weight_to_[c] - factor * degree_[c];
      if (value > best_value) {
        best_value = value;
        best = c;
      }
    }
    degree_[best] += graph_.degrees[node];
    if (best != home) {
      inside_[home] -= weight_to_[home] + graph_.loops[node];
      inside_[best] += weight_to_[best] + graph_.loops[node];
      community_[node] = static_cast<std::int32_t>(best);
    }
    for (const std::size_t c : touched_) weight_to_[c] = 0.0;
    return best != home;
  }

  /// weight_to_[C] = weight of the node's edges into C; touched_ lists the C that have any.
  void collect_neighbours(std::size_t node) {
    touched_.clear();
    for (std::size_t edge = graph_.starts[node]; edge < graph_.starts[node + 1]; ++edge) {
      const auto neighbour = static_cast<std::size_t>(graph_.neighbours[edge]);
      const auto c = static_cast<std::size_t>(community_[neighbour]);
      if (weight_to_[c] == 0.0) touched_.push_back(c);
      weight_to_[c] += graph_.weights[edge];
    }
  }

  const Graph& graph_;
  const LouvainOptions& options_;
  std::vector<std::int32_t> community_;
  std::vector<double> inside_;  // per community: weight of its inner edges and loops
  std::vector<double> degree_;
  std::vector<double> weight_to_;
  std::vector<std::size_t> touched_;
};

/// Levels of moving and aggregation, until one merges or gains nothing.
Grouping run_levels(const Graph& nodes, const LouvainOptions& options, RandomSequence random) {
  Grouping result = single_groups(nodes.size());
  Graph aggregated;
  const Graph* graph = &nodes;
  for (double before = -INFINITY;;) {
    LocalMoving level(*graph, options);
    level.run(random);
    const double after = level.quality();
    const Grouping merged = number_groups(level.community());
    if (after - before < kLeastGrowth || merged.groups == graph->size()) return result;
    before = after;
    for (std::int32_t& group : result.group_of)
      group = merged.group_of[static_cast<std::size_t>(group)];
    result.groups = merged.groups;
    aggregated = aggregate(*graph, merged);
    graph = &aggregated;
  }
}

/// Every node of `graph` taken as a group.
double modularity_of_nodes(const Graph& graph, double resolution) {
  const LouvainOptions options{.resolution = resolution};
  return graph.total == 0.0 ? 0.0 : LocalMoving(graph, options).quality();
}

}  // namespace

Grouping louvain(const AffinityMatrix& affinity, const LouvainOptions& options) {
  if (!(options.resolution > 0.0) || !std::isfinite(options.resolution))
    fail<UsageError>("[louvain] expected a resolution above 0, got {}", options.resolution);
  if (options.starts < 1)
    fail<UsageError>("[louvain] expected at least one start, got {}", options.starts);
  const Graph graph = graph_of(affinity);
  Grouping best = single_groups(graph.size());
  if (graph.total == 0.0) return best;
  if (options.starts == 1) return run_levels(graph, options, RandomSequence(options.seed));
  double best_value = -INFINITY;
  for (int start = 0; start < options.starts; ++start) {
    const RandomSequence random(options.seed, static_cast<std::uint64_t>(start));
    Grouping found = run_levels(graph, options, random);
    const double value = modularity_of_nodes(aggregate(graph, found), options.resolution);
    if (value <= best_value) continue;
    best_value = value;
    best = std::move(found);
  }
  return best;
}

double modularity(const AffinityMatrix& affinity, const Grouping& grouping, double resolution) {
  if (grouping.prototypes() != affinity.size())
    fail<ShapeError>("[modularity] expected groups of {} prototypes, got {}", affinity.size(),
                     grouping.prototypes());
  return modularity_of_nodes(aggregate(graph_of(affinity), grouping), resolution);
}

}  // namespace opencd
