// What k-means needs beside matrix products and arg-max. Rows x and centres c are kept one column
// longer,
//   x~ = (x - origin, 1),   c~ = (c, -|c|^2 / 2),   so that   |x - c|^2 = |x|^2 - 2 x~ . c~ :
// one product gives the distances of all rows to all centres, and its largest entry in a row marks
// the nearest centre. With the mean of all rows as origin little is lost to cancellation.
// All kernels assign. Sums run in an order that the clusters alone determine; no atomics.
#pragma once

#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

/// Makes x~ and squares = |x|^2 about the origin. One work-group a row.
struct ExtendRows {
  const float* src;
  const float* origin;
  float* dst;  // rows x (columns + 1)
  float* squares;
  int columns;

  void operator()(sycl::nd_item<1> item) const {
    const float* x = src + row_of(item) * columns;
    float* y = dst + row_of(item) * (columns + 1);
    float sum = 0.0f;
    for_each_column(item, columns, [&](int c) {
      const float value = x[c] - origin[c];
      y[c] = value;
      sum += value * value;
    });
    sum = sum_over_group(item, sum);
    if (item.get_local_id(0) == 0) {
      y[columns] = 1.0f;
      squares[row_of(item)] = sum;
    }
  }
};
OPENCD_KERNEL(ExtendRows, 1)

/// Rows as centres: dst[j] = c~ of the row rows[j]. One item an entry.
struct RowsAsCentres {
  const float* points;
  const float* squares;
  const std::int32_t* rows;
  float* dst;
  std::size_t count;  // centres x extended
  int extended;       // columns + 1

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) {
      const auto row = static_cast<std::size_t>(rows[i / extended]);
      const int c = static_cast<int>(i % extended);
      dst[i] = c == extended - 1 ? -0.5f * squares[row] : points[row * extended + c];
    }
  }
};
OPENCD_KERNEL(RowsAsCentres, 1)

/// k-means++, several starts side by side: candidate j is one of the trials of start j / trials. In
/// place, products x~ . c~ become what would be the squared distance to the nearest centre if the
/// candidate became one. One item an entry.
struct CandidateDistances {
  const float* squares;
  const float* nearest;  // rows x starts: squared distance to the nearest centre so far
  float* products;       // rows x candidates
  std::size_t count;
  int candidates;
  int trials;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) {
      const std::size_t row = i / candidates;
      const int start = static_cast<int>(i % candidates) / trials;
      const float distance = sycl::fmax(squares[row] - 2.0f * products[i], 0.0f);
      products[i] = sycl::fmin(distance, nearest[row * (candidates / trials) + start]);
    }
  }
};
OPENCD_KERNEL(CandidateDistances, 1)

/// nearest[row][start] = distances[row][chosen[start]]. One item an entry of nearest.
struct KeepCandidates {
  const float* distances;
  const std::int32_t* chosen;
  float* nearest;
  std::size_t count;  // rows x starts
  int starts;
  int candidates;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = element_of(item);
    if (i < count) nearest[i] = distances[i / starts * candidates + chosen[i % starts]];
  }
};
OPENCD_KERNEL(KeepCandidates, 1)

/// Rows are listed cluster by cluster in `order` and cut into slices; slice s owns the entries
/// slices[s] .. slices[s + 1]. partial[s][c] = sum over its rows. One item a column and slice.
struct SliceSums {
  const float* points;
  const std::int32_t* order;
  const std::int32_t* slices;
  float* partial;  // slices x columns
  int columns;

  void operator()(sycl::nd_item<2> item) const {
    const int c = static_cast<int>(item.get_global_id(1));
    const std::size_t slice = item.get_global_id(0);
    if (c < columns) {
      float sum = 0.0f;
      for (int at = slices[slice]; at < slices[slice + 1]; ++at)
        sum += points[static_cast<std::size_t>(order[at]) * (columns + 1) + c];
      partial[slice * columns + c] = sum;
    }
  }
};
OPENCD_KERNEL(SliceSums, 2)

/// A centre becomes the mean of its rows, cluster c owning the slices first_slice[c] ..
/// first_slice[c + 1]; moved[c] is the square of its way. Without rows it stays. One work-group a
/// cluster.
struct MoveCentres {
  const float* partial;
  const std::int32_t* slices;
  const std::int32_t* first_slice;
  float* centres;  // clusters x (columns + 1)
  float* moved;
  int columns;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t cluster = row_of(item);
    const int first = first_slice[cluster];
    const int last = first_slice[cluster + 1];
    const int size = slices[last] - slices[first];
    float* centre = centres + cluster * (columns + 1);
    float way = 0.0f;
    float squares = 0.0f;
    if (size > 0) {
      for_each_column(item, columns, [&](int c) {
        float sum = 0.0f;
        for (int s = first; s < last; ++s)
          sum += partial[static_cast<std::size_t>(s) * columns + c];
        const float mean = sum / static_cast<float>(size);
        way += (mean - centre[c]) * (mean - centre[c]);
        squares += mean * mean;
        centre[c] = mean;
      });
    }
    way = sum_over_group(item, way);
    squares = sum_over_group(item, squares);
    if (item.get_local_id(0) == 0) {
      moved[cluster] = way;
      if (size > 0) centre[columns] = -0.5f * squares;
    }
  }
};
OPENCD_KERNEL(MoveCentres, 1)

/// distances[row] = |x - c|^2 for the centre of the row's cluster, from the differences themselves.
/// One work-group a row.
struct ClusterDistances {
  const float* points;
  const float* centres;
  const std::int32_t* cluster_of;
  float* distances;
  int columns;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t row = row_of(item);
    const float* x = points + row * (columns + 1);
    const float* centre = centres + static_cast<std::size_t>(cluster_of[row]) * (columns + 1);
    float sum = 0.0f;
    for_each_column(item, columns, [&](int c) { sum += (x[c] - centre[c]) * (x[c] - centre[c]); });
    sum = sum_over_group(item, sum);
    if (item.get_local_id(0) == 0) distances[row] = sum;
  }
};
OPENCD_KERNEL(ClusterDistances, 1)

}  // namespace opencd::kernels
