// SimCLR's NT-Xent and SupCon over both views of B pictures, from the 2B x 2B cosines s of their
// features; rows 0 .. B - 1 are view 1, B .. 2B - 1 view 2. Positives P(r) of row r are all other
// rows of its class, the other view of the picture among them; NT-Xent is the case in which every
// picture is its own class. A picture with a negative class takes no part: neither its rows nor its
// columns. n is the number of rows that do.
//   loss_r  = log sum_{c != r} exp(s_rc / T) - mean over a in P(r) of s_ra / T
//   ds_rc   = ( softmax_rc - [c in P(r)] / |P(r)| ) / (n T),  ds_rr = 0
// Assigns ds, which may be s. Deterministic: fixed blocks, group reductions, no atomics.
#pragma once

#include "kernels/contrastive_record.hpp"
#include "kernels/device/row_loop.hpp"

namespace opencd::kernels {

/// One work-group a row.
struct ContrastiveRows {
  const float* cosines;
  const std::int32_t* classes;  // B; null: every picture is its own class
  float* diff;
  float* losses;  // 2B
  int pictures;
  float inv_temperature;
  float weight;

  std::int32_t class_of(int picture) const {
    return classes == nullptr ? picture : classes[picture];
  }

  /// Calls body(column, class) for the columns of both views.
  template <class Body>
  void for_each_other(const sycl::nd_item<1>& item, Body body) const {
    for (int first = 0; first < 2 * pictures; first += pictures)
      for_each_column(item, pictures, [&](int j) { body(first + j, class_of(j)); });
  }

  void operator()(sycl::nd_item<1> item) const {
    const int self = static_cast<int>(row_of(item));
    const float* s = cosines + row_of(item) * 2 * pictures;
    float* ds = diff + row_of(item) * 2 * pictures;
    const std::int32_t own = class_of(self % pictures);
    if (own < 0) {
      for_each_column(item, 2 * pictures, [&](int c) { ds[c] = 0.0f; });
      if (item.get_local_id(0) == 0) losses[self] = 0.0f;
      return;
    }

    float largest = -kInfinity;
    for_each_other(item, [&](int c, std::int32_t other) {
      largest = c != self && other >= 0 ? sycl::fmax(largest, s[c]) : largest;
    });
    largest = max_over_group(item, largest);

    float total = 0.0f;
    float together = 0.0f;
    int positives = 0;
    int rows = 0;
    for_each_other(item, [&](int c, std::int32_t other) {
      const float shifted = (s[c] - largest) * inv_temperature;
      const bool positive = c != self && other == own;
      const float e = c != self && other >= 0 ? sycl::exp(shifted) : 0.0f;
      together += positive ? shifted : 0.0f;
      positives += positive ? 1 : 0;
      rows += other >= 0 ? 1 : 0;
      total += e;
      ds[c] = e;
    });
    total = sum_over_group(item, total);
    together = sum_over_group(item, together);
    const auto among = static_cast<float>(sum_over_group(item, positives));
    const float scale = weight * inv_temperature / static_cast<float>(sum_over_group(item, rows));

    const float share = scale / total;
    const float target = scale / among;
    for_each_other(item, [&](int c, std::int32_t other) {
      ds[c] = share * ds[c] - (c != self && other == own ? target : 0.0f);
    });
    if (item.get_local_id(0) == 0) losses[self] = sycl::log(total) - together / among;
  }
};
OPENCD_KERNEL(ContrastiveRows, 1)

/// One work-group in all.
struct ContrastiveMean {
  const float* losses;
  const std::int32_t* classes;
  ContrastiveRecord* record;
  int pictures;

  void operator()(sycl::nd_item<1> item) const {
    float sum = 0.0f;
    std::int32_t rows = 0;
    for_each_column(item, pictures, [&](int j) {
      sum += losses[j] + losses[pictures + j];
      rows += classes == nullptr || classes[j] >= 0 ? 2 : 0;
    });
    sum = sum_over_group(item, sum);
    rows = sum_over_group(item, rows);
    if (item.get_local_id(0) == 0) *record = {sum / static_cast<float>(sycl::max(rows, 1)), rows};
  }
};
OPENCD_KERNEL(ContrastiveMean, 1)

}  // namespace opencd::kernels
