// The positive partner of every row of a batch. No gradient goes through the choice. Assigns.
//   labelled row    a random other row of the same label; itself if there is none
//   unlabelled row  the other row with the largest cosine, labelled or not; itself if it is alone
// Among equal cosines the first column wins; NaN counts as -infinity. The draw is
// Philox(seed, positive_pairs, step, row), and candidates are numbered by column, so the partners
// are the same on every device. One work-group a row.
#pragma once

#include "kernels/device/row_loop.hpp"
#include "philox.hpp"

namespace opencd::kernels {

struct PositivePairs {
  const float* cosines;
  const std::int32_t* labels;
  std::int32_t* partners;
  int rows;
  std::uint32_t seed;
  std::uint32_t step;

  void operator()(sycl::nd_item<1> item) const {
    const int self = static_cast<int>(row_of(item));
    int partner = labels[self] < 0 ? nearest(item, self) : random_of_same_label(item, self);
    if (partner == rows) partner = self;
    if (item.get_local_id(0) == 0) partners[self] = partner;
  }

  /// `rows` if there is no other row.
  int nearest(const sycl::nd_item<1>& item, int self) const {
    const float* x = cosines + static_cast<std::size_t>(self) * rows;
    float best = -kInfinity;
    int column = rows;
    for_each_column(item, rows, [&](int c) {
      const float value = x[c] == x[c] ? x[c] : -kInfinity;
      if (c != self && (value > best || column == rows)) {
        best = value;
        column = c;
      }
    });
    const float winner = max_over_group(item, best);
    return min_over_group(item, best == winner ? column : rows);
  }

  /// `rows` if there is no other row of this label.
  int random_of_same_label(const sycl::nd_item<1>& item, int self) const {
    const std::int32_t label = labels[self];
    int candidates = 0;
    for_each_column(item, rows,
                    [&](int c) { candidates += c != self && labels[c] == label ? 1 : 0; });
    candidates = sum_over_group(item, candidates);
    if (candidates == 0) return rows;
    const RandomStream stream{seed, RandomPurpose::positive_pairs, step,
                              static_cast<std::uint64_t>(self)};
    const auto chosen =
        static_cast<int>(to_below(stream.draw(0).word[0], static_cast<std::uint32_t>(candidates)));
    return candidate(item, self, label, chosen);
  }

  /// The column of candidate number `chosen`. Blocks of columns, all items in every one of them.
  int candidate(const sycl::nd_item<1>& item, int self, std::int32_t label, int chosen) const {
    const int lanes = static_cast<int>(item.get_local_range(0));
    const int lane = static_cast<int>(item.get_local_id(0));
    int found = rows;
    int before = 0;
    for (int start = 0; start < rows && before <= chosen; start += lanes) {
      const int c = start + lane;
      const int here = c < rows && c != self && labels[c] == label ? 1 : 0;
      const int number =
          before + sycl::exclusive_scan_over_group(item.get_group(), here, sycl::plus<int>());
      if (here == 1 && number == chosen) found = c;
      before += sum_over_group(item, here);
    }
    return min_over_group(item, found);
  }
};
OPENCD_KERNEL(PositivePairs, 1)

}  // namespace opencd::kernels
