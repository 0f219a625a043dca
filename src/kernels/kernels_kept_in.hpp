// Joins a store of bytes to the cache of compiled kernels: anything copyable that has
// `load(key)` and `store(key, bytes)`, such as files::CacheFolder.
#pragma once

#include "kernels/kernel_cache.hpp"

namespace opencd::kernels {

template <class Store>
KernelCache kernels_kept_in(Store store) {
  return {[store](std::string_view key) { return store.load(key); },
          [store](std::string_view key, std::string_view bytes) { store.store(key, bytes); }};
}

}  // namespace opencd::kernels
