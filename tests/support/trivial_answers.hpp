// What one scores without having learned anything. A bound that such an answer passes tells nothing of
// learning, so tests ask for more than these on the very same rows.
#pragma once

#include "support/random.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace opencd::test {

struct TrivialScores {
  double random = 0.0;    // rows in groups by lot: the luckiest of a hundred draws
  double constant = 0.0;  // all rows in one group: the best of them

  double best() const { return std::max(random, constant); }
};

/// `score` gives the score of any answer, the group of every row.
template <class Score>
TrivialScores trivial_scores(std::size_t rows, std::size_t groups, Score&& score) {
  constexpr int kDraws = 100;
  Random random(91);
  TrivialScores result;
  std::vector<std::int32_t> answer(rows);
  for (int draw = 0; draw < kDraws; ++draw) {
    for (std::int32_t& group : answer)
      group = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(groups)));
    result.random = std::max(result.random, score(answer));
  }
  for (std::size_t group = 0; group < groups; ++group) {
    std::fill(answer.begin(), answer.end(), static_cast<std::int32_t>(group));
    result.constant = std::max(result.constant, score(answer));
  }
  return result;
}

}  // namespace opencd::test
