// Small results on their way from the device to the host. The copy is started behind the work that
// makes them and looked at later, when it has long arrived: nothing else waits.
#pragma once

#include "kernels/memory.hpp"

#include <memory>

namespace opencd::kernels {

/// The untyped half of Readback.
class ByteReadback {
 public:
  ByteReadback(Device& device, std::size_t bytes);
  ~ByteReadback();
  ByteReadback(const ByteReadback&) = delete;
  ByteReadback& operator=(const ByteReadback&) = delete;

  void start(const void* src);
  /// Waits for the copy that was started last, and for nothing behind it.
  const void* finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One value of type T that is read back again and again.
template <class T>
class Readback {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Readback(Device& device) : bytes_(device, sizeof(T)) {}

  /// Copies src[0] once all work submitted so far is done.
  void start(View<const T> src) { bytes_.start(src.data); }
  /// The value of the last `start`.
  T finish() { return *static_cast<const T*>(bytes_.finish()); }

 private:
  ByteReadback bytes_;
};

}  // namespace opencd::kernels
