// The k largest entries of every row, largest first; equal values are ordered by column, NaN counts
// as -infinity. With k = 1 this is arg-max. Assigns indices and values. Comparisons only, so the
// result is exact and the same on every device. Two ways to the same result:
//   TopKRows      one work-group a row: k rounds, each takes the largest entry that comes after the
//                 one found before. For long rows on devices with wide groups.
//   TopOfRow...   one item a row: one pass that keeps the best in registers, without any
//                 cooperation. For short rows, and for CPUs, where group reductions cost more.
// TopOfColumn... are the second for columns: neighbours read neighbours, so a CPU loads whole vectors
// where it gathers floats of many rows otherwise.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

/// NaN counts as -infinity.
inline float ordered(float value) { return value == value ? value : -kInfinity; }

struct TopKArguments {
  const float* src;
  std::int32_t* indices;  // rows x k
  float* values;          // rows x k, or null
  std::size_t rows;
  int columns;
  int k;
};

struct TopKRows : TopKArguments {
  /// Whether entry (value, column) stands after (last_value, last_column) in the order of the
  /// result.
  static bool after(float value, int column, float last_value, int last_column) {
    return value < last_value || (value == last_value && column > last_column);
  }

  void operator()(sycl::nd_item<1> item) const {
    const float* x = src + row_of(item) * columns;
    const std::size_t start = row_of(item) * k;
    float last_value = kInfinity;
    int last_column = -1;
    for (int round = 0; round < k; ++round) {
      float best = -kInfinity;
      int column = columns;
      for_each_column(item, columns, [&](int c) {
        const float value = ordered(x[c]);
        const bool better = value > best || column == columns;
        if (after(value, c, last_value, last_column) && better) {
          best = value;
          column = c;
        }
      });
      const float winner = max_over_group(item, best);
      column = min_over_group(item, best == winner ? column : columns);
      if (item.get_local_id(0) == 0) {
        indices[start + round] = column;
        if (values != nullptr) values[start + round] = winner;
      }
      last_value = winner;
      last_column = column;
    }
  }
};
OPENCD_KERNEL(TopKRows, 1)

/// The first `length` entries of a row in the order of the result. The list is sorted at any time:
/// from the first place that an entry comes before, all move down by one. Free places hold NaN, so
/// every entry comes before them; none comes before an equal one, so ties stay ordered by place.
template <int length>
struct SortedList {
  float best[length];
  int place[length];

  SortedList() {
    for (int i = 0; i < length; ++i) {
      best[i] = std::numeric_limits<float>::quiet_NaN();
      place[i] = 0;
    }
  }

  bool takes(float value) const { return !(value <= best[length - 1]); }

  void insert(float value, int at) {
    float pushed = value;
    int pushed_place = at;
    for (int i = 0; i < length; ++i) {
      const bool before = !(value <= best[i]);
      const float held = best[i];
      const int held_place = place[i];
      best[i] = before ? pushed : held;
      place[i] = before ? pushed_place : held_place;
      pushed = before ? held : pushed;
      pushed_place = before ? held_place : pushed_place;
    }
  }
};

/// One item a row, for k up to `length`. Most columns of a long row change nothing: a block of them
/// whose largest entry does not come before the last of the list is passed over as a whole.
template <int length>
struct TopOfRow : TopKArguments {
  static constexpr int kBlock = 8;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = element_of(item);
    if (row < rows) {
      const float* x = src + row * columns;
      SortedList<length> list;
      const int whole = columns / kBlock * kBlock;
      for (int start = 0; start < whole; start += kBlock) {
        float largest = x[start];
        for (int c = start + 1; c < start + kBlock; ++c) largest = sycl::fmax(largest, x[c]);
        if (!list.takes(largest)) continue;
        for (int c = start; c < start + kBlock; ++c)
          if (list.takes(ordered(x[c]))) list.insert(ordered(x[c]), c);
      }
      for (int c = whole; c < columns; ++c) list.insert(ordered(x[c]), c);
      for (int i = 0; i < length; ++i)
        if (i < k) indices[row * k + i] = list.place[i];
      if (values != nullptr)
        for (int i = 0; i < length; ++i)
          if (i < k) values[row * k + i] = list.best[i];
    }
  }
};

struct TopOneOfRow : TopOfRow<1> {};
OPENCD_KERNEL(TopOneOfRow, 1)

struct TopThreeOfRow : TopOfRow<3> {};
OPENCD_KERNEL(TopThreeOfRow, 1)

struct TopFiveOfRow : TopOfRow<5> {};
OPENCD_KERNEL(TopFiveOfRow, 1)

struct TopTenOfRow : TopOfRow<10> {};
OPENCD_KERNEL(TopTenOfRow, 1)

struct TopSixteenOfRow : TopOfRow<16> {};
OPENCD_KERNEL(TopSixteenOfRow, 1)

/// One item a column, for k up to `length`; there are as many items as columns.
template <int length>
struct TopOfColumn {
  const float* src;       // rows x columns
  std::int32_t* indices;  // columns x k
  int rows;
  std::size_t columns;
  int k;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t column = element_of(item);
    const float* x = src + column;
    SortedList<length> list;
    for (int r = 0; r < rows; ++r) {
      const float value = ordered(x[r * columns]);
      if (list.takes(value)) list.insert(value, r);
    }
    for (int i = 0; i < length; ++i)
      if (i < k) indices[column * k + i] = list.place[i];
  }
};

struct TopThreeOfColumn : TopOfColumn<3> {};
OPENCD_KERNEL(TopThreeOfColumn, 1)

struct TopTenOfColumn : TopOfColumn<10> {};
OPENCD_KERNEL(TopTenOfColumn, 1)

struct TopSixteenOfColumn : TopOfColumn<16> {};
OPENCD_KERNEL(TopSixteenOfColumn, 1)

}  // namespace opencd::kernels
