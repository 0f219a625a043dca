// A loop on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace opencd::data {

/// Number of threads for `wanted`, where 0 means one for each core.
inline unsigned thread_count(unsigned wanted) {
  return wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

/// Calls `body(i)` for all i below `count`, in any order. `body` must not throw.
template <class Body>
void parallel_for(std::size_t count, unsigned threads, Body body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(thread_count(threads), count); ++i)
    helpers.emplace_back(work);
  work();
}

}  // namespace opencd::data
