#include "opencd/group_search.hpp"

#include "error.hpp"
#include "support/message.hpp"
#include "support/method_golden.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

namespace {

constexpr int kLastEpoch = 69;

/// Labelled rows of the first `known` planted blocks, a tenth of them near any prototype.
Contingency planted_labels(std::size_t nodes, std::size_t blocks, std::size_t known) {
  Random random(11);
  std::vector<std::int32_t> nearest;
  std::vector<std::int32_t> labels;
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(nodes); ++node) {
    const std::size_t block = static_cast<std::size_t>(node) % blocks;
    for (int row = 0; row < 20 && block < known; ++row) {
      const bool noise = random.uniform() < 0.1;
      nearest.push_back(
          noise ? static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(nodes)))
                : node);
      labels.push_back(static_cast<std::int32_t>(block));
    }
  }
  return count_contingency(nearest, labels, nodes, known);
}

Contingency no_labels(std::size_t nodes) { return count_contingency({}, {}, nodes, 0); }

GroupCandidate candidate_of(int index, const Grouping& grouping) { return {index, 1.0, grouping}; }

}  // namespace

TEST_SUITE_BEGIN("opencd/group_search");

TEST_CASE("parameters fall geometrically from the first to the last") {
  const SearchRange range;
  CHECK_EQ(range.at(0), 12.0);
  CHECK_EQ(range.at(64), doctest::Approx(2.0).epsilon(1e-14));
  CHECK_EQ(range.at(32), doctest::Approx(std::sqrt(24.0)).epsilon(1e-14));
}

TEST_CASE("one more candidate is open in every epoch") {
  const AffinityMatrix affinity = golden_graph("clear");
  const GroupSearchOptions options;
  CHECK_EQ(open_candidates(affinity, 5, options).size(), 1);
  CHECK_EQ(open_candidates(affinity, 25, options).size(), 21);
  CHECK_EQ(open_candidates(affinity, kLastEpoch, options).size(), 65);
  CHECK_EQ(open_candidates(affinity, 200, options).size(), 65);
  CHECK_THROWS_AS(open_candidates(affinity, 4, options), UsageError);
}

TEST_CASE("planted groups are found by every algorithm, and classes get their group") {
  const AffinityMatrix affinity = golden_graph("clear");
  const Contingency labelled = planted_labels(50, 10, 5);
  GroupSearchOptions options;
  SUBCASE("louvain") {}
  SUBCASE("threshold") {
    options.algorithm = GroupingAlgorithm::threshold;
    options.range = {0.99, 0.5};
  }
  SUBCASE("affinity propagation") {
    options.algorithm = GroupingAlgorithm::affinity_propagation;
    options.range = {0.99, 0.5};
  }
  const auto found = search_groups(affinity, labelled, kLastEpoch, options);
  REQUIRE(found.has_value());
  CHECK_EQ(found->matched.grouping, planted_groups(50, 10));
  CHECK_EQ(found->parameter, options.range.at(found->candidate));
  CHECK_GT(found->matched.labelled.fraction(), 0.9);
}

TEST_CASE("no open candidate is better than the found one, and earlier ones are worse") {
  const AffinityMatrix affinity = golden_graph("faint");
  const Contingency labelled = planted_labels(80, 8, 4);
  const GroupSearchOptions options{.range = {8.0, 0.5}};
  for (const int epoch : {5, 17, 40, kLastEpoch}) {
    const auto found = search_groups(affinity, labelled, epoch, options);
    REQUIRE(found.has_value());
    for (const GroupCandidate& candidate : open_candidates(affinity, epoch, options)) {
      const auto matched = match_groups(candidate.grouping, labelled);
      if (!matched) continue;
      CHECK_LE(matched->labelled.correct, found->matched.labelled.correct);
      if (candidate.index < found->candidate)
        CHECK_LT(matched->labelled.correct, found->matched.labelled.correct);
    }
  }
}

TEST_CASE("the earlier of equally accurate candidates wins") {
  const Contingency labelled = planted_labels(40, 8, 3);
  const std::vector<GroupCandidate> candidates = {candidate_of(3, planted_groups(40, 20)),
                                                  candidate_of(4, planted_groups(40, 8)),
                                                  candidate_of(5, planted_groups(40, 8))};
  const auto found = choose_by_labels(candidates, labelled);
  REQUIRE(found.has_value());
  CHECK_EQ(found->candidate, 4);
}

TEST_CASE("candidates with fewer groups than known classes are passed over") {
  const Contingency labelled = planted_labels(40, 8, 5);
  const std::vector<GroupCandidate> few = {candidate_of(0, planted_groups(40, 4)),
                                           candidate_of(1, planted_groups(40, 1))};
  CHECK_FALSE(choose_by_labels(few, labelled).has_value());
  CHECK_FALSE(choose_by_labels({}, labelled).has_value());
}

TEST_CASE("a candidate without a single correct row is still a result") {
  const Contingency labelled = count_contingency({}, {}, 4, 2);
  const std::vector<GroupCandidate> candidates = {candidate_of(0, planted_groups(4, 2))};
  CHECK(choose_by_labels(candidates, labelled).has_value());
}

TEST_CASE("without labels the number of groups that lasts longest is chosen") {
  for (const auto& [name, nodes, blocks] :
       {std::tuple{"clear", 50, 10}, {"loops", 60, 6}, {"disconnected", 40, 8}}) {
    const auto n = static_cast<std::size_t>(nodes);
    const auto found =
        search_groups(golden_graph(name), no_labels(n), kLastEpoch, {.range = {12.0, 0.5}});
    REQUIRE(found.has_value());
    CHECK_EQ(found->matched.grouping, planted_groups(n, static_cast<std::size_t>(blocks)));
    CHECK_EQ(found->matched.labelled.rows, 0);
  }
}

TEST_CASE("without labels neither single groups nor one group for all are chosen") {
  const AffinityMatrix affinity = golden_graph("clear");
  const std::vector<GroupCandidate> candidates = {
      candidate_of(0, single_groups(50)),      candidate_of(1, single_groups(50)),
      candidate_of(2, planted_groups(50, 10)), candidate_of(3, planted_groups(50, 1)),
      candidate_of(4, planted_groups(50, 1)),  candidate_of(5, planted_groups(50, 5))};
  const auto found = choose_by_stability(candidates, affinity);
  REQUIRE(found.has_value());
  CHECK_EQ(found->candidate, 2);
  CHECK_FALSE(choose_by_stability(std::span(candidates).first(2), affinity).has_value());
}

TEST_CASE("within the longest run modularity decides") {
  const AffinityMatrix affinity = golden_graph("clear");
  Grouping worse = planted_groups(50, 10);
  std::swap(worse.group_of[0], worse.group_of[1]);
  const std::vector<GroupCandidate> candidates = {candidate_of(0, worse),
                                                  candidate_of(1, planted_groups(50, 10)),
                                                  candidate_of(2, planted_groups(50, 10))};
  CHECK_EQ(choose_by_stability(candidates, affinity)->candidate, 1);
}

TEST_CASE(
    "with the number told the candidate nearest to it is chosen, of these the most accurate") {
  const Contingency labelled = planted_labels(40, 8, 3);
  Grouping worse = planted_groups(40, 8);
  std::swap(worse.group_of[0], worse.group_of[1]);
  const std::vector<GroupCandidate> candidates = {
      candidate_of(0, planted_groups(40, 20)), candidate_of(1, worse),
      candidate_of(2, planted_groups(40, 8)), candidate_of(3, planted_groups(40, 8)),
      candidate_of(4, planted_groups(40, 4))};
  CHECK_EQ(choose_by_number(candidates, labelled, 8)->candidate, 2);
  CHECK_EQ(choose_by_number(candidates, labelled, 19)->candidate, 0);
  CHECK_EQ(choose_by_number(candidates, labelled, 3)->candidate, 4);
  CHECK_FALSE(choose_by_number(std::span(candidates).first(0), labelled, 8).has_value());
}

TEST_CASE("ranges without meaning are refused, with the meaning") {
  const auto refusal = [](GroupingAlgorithm algorithm, const SearchRange& range) {
    return message_of<UsageError>([&] { check_range(algorithm, range); });
  };
  const auto louvain = GroupingAlgorithm::louvain;
  const auto threshold = GroupingAlgorithm::threshold;
  const auto propagation = GroupingAlgorithm::affinity_propagation;
  CHECK_CONTAINS(refusal(louvain, {0.0, 2.0}), "resolutions");
  CHECK_CONTAINS(refusal(louvain, {12.0, -2.0}), "above 0, got -2");
  CHECK_CONTAINS(refusal(louvain, {12.0, 2.0, 0}), "--search-steps of 1 or more");
  CHECK_CONTAINS(refusal(louvain, {2.0, 12.0}), "many groups to few");
  CHECK_CONTAINS(refusal(threshold, {12.0, 2.0}), "above 0 to below 1, got 12");
  CHECK_CONTAINS(refusal(propagation, {12.0, 2.0}), "dampings");
  CHECK_CONTAINS(refusal(propagation, {0.99, 0.4}), "from 0.5 to below 1, got 0.4");
  CHECK_NOTHROW(check_range(louvain, {12.0, 6.0}));
  CHECK_NOTHROW(check_range(threshold, {0.99, 0.01}));
  CHECK_NOTHROW(check_range(propagation, {0.99, 0.5}));
  CHECK_NOTHROW(check_range(threshold, {0.4, 0.4, 1}));
  CHECK_THROWS_AS(open_candidates(golden_graph("clear"), 5, {.range = {0.0, 2.0}}), UsageError);
}

TEST_SUITE_END();

}  // namespace opencd::test
