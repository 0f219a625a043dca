// The two loops that every kernel is made of, written once in the form that CPU drivers turn into
// SIMD code and GPUs run coalesced: whole blocks without a guard, then one guarded tail.
#pragma once

#include "kernels/device/kernel.hpp"

namespace opencd::kernels {

/// Calls `body(column)` for every column of a row that one work-group shares. Every item of the
/// group must call it.
template <class Body>
inline void for_each_column(const sycl::nd_item<1>& item, int columns, Body body) {
  const int lanes = static_cast<int>(item.get_local_range(0));
  const int lane = static_cast<int>(item.get_local_id(0));
  const int whole = columns / lanes * lanes;
  for (int start = 0; start < whole; start += lanes) body(start + lane);
  if (whole + lane < columns) body(whole + lane);
}

/// The row that this item's work-group owns: one work-group a row.
inline std::size_t row_of(const sycl::nd_item<1>& item) { return item.get_group(0); }

/// The element that this item owns in an element-wise kernel.
inline std::size_t element_of(const sycl::nd_item<1>& item) { return item.get_global_id(0); }

template <class Item, class T>
inline T sum_over_group(const Item& item, T value) {
  return sycl::reduce_over_group(item.get_group(), value, sycl::plus<T>());
}

template <class Item, class T>
inline T max_over_group(const Item& item, T value) {
  return sycl::reduce_over_group(item.get_group(), value, sycl::maximum<T>());
}

template <class Item, class T>
inline T min_over_group(const Item& item, T value) {
  return sycl::reduce_over_group(item.get_group(), value, sycl::minimum<T>());
}

}  // namespace opencd::kernels
