// What every kernel file starts from: the SYCL names a body may use, and the macro that makes a
// function object a kernel.
//
// A kernel is one text: a trivially copyable struct whose members are the arguments (USM device
// pointers and numbers) and whose call operator is the body. The text is read in three ways:
//  - by a SYCL compiler, and by any host compiler: the struct alone, which `launch` hands on;
//  - by the kernel compiler of the build (OPENCD_DEVICE_PASS): a free function that takes the
//    struct by value and becomes one entry of the embedded bundle;
//  - by the PTX check (OPENCD_DEVICE_PASS_BY_POINTER too): the same function with the struct behind
//    a pointer.
#pragma once

#if defined(OPENCD_DEVICE_PASS)
#include <sycl/atomic_ref.hpp>
#include <sycl/builtins.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/group_barrier.hpp>
#else
#include <sycl/sycl.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// For what a kernel calls in its inner loop with arrays or structs by reference: a call that stays in
/// the bundle keeps them in memory, and CPU drivers then no longer see which loads are neighbours.
#define OPENCD_INLINE __attribute__((always_inline))

namespace opencd::kernels {
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
}

#if !defined(OPENCD_DEVICE_PASS)
/// Declares `Body` a kernel over `dims` dimensions; `launch` finds its name by argument-dependent
/// look-up.
#define OPENCD_KERNEL(Body, dims)                                                         \
  static_assert(std::is_trivially_copyable_v<Body>, #Body " must be trivially copyable"); \
  constexpr const char* kernel_name(const Body*) { return #Body; }
#elif !defined(OPENCD_DEVICE_PASS_BY_POINTER)
#define OPENCD_KERNEL(Body, dims)                                    \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                      \
      (sycl::ext::oneapi::experimental::nd_range_kernel<dims>)) void \
  Body##_kernel(Body body) {                                         \
    body(sycl::ext::oneapi::this_work_item::get_nd_item<dims>());    \
  }
#else
#define OPENCD_KERNEL(Body, dims)                                    \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                      \
      (sycl::ext::oneapi::experimental::nd_range_kernel<dims>)) void \
  Body##_kernel(const Body* body) {                                  \
    (*body)(sycl::ext::oneapi::this_work_item::get_nd_item<dims>()); \
  }
#endif
