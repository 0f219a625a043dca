// Device memory: `Buffer` owns it, `View` and `Rows` look at it. Views are pointers with sizes,
// passed by value; every function of `kernels` takes its sizes from them.
#pragma once

#include "error.hpp"
#include "kernels/device.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace opencd::kernels {

/// A run of elements on the device.
template <class T>
struct View {
  T* data = nullptr;
  std::size_t size = 0;

  operator View<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, size};
  }
  View slice(std::size_t first, std::size_t count) const {
    if (first > size || count > size - first)
      fail<ShapeError>("[slice] expected {} elements from {} on, the view has {}", count, first,
                       size);
    return {data + first, count};
  }
};

/// A row-major matrix on the device, without gaps between its rows.
template <class T>
struct Rows {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;

  operator Rows<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, rows, columns};
  }
  std::size_t size() const { return rows * columns; }
  View<T> flat() const { return {data, size()}; }
};

/// Owns device memory; move-only. The device must outlive it.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t size)
      : device_(&device), data_(static_cast<T*>(device.allocate(size, sizeof(T)))), size_(size) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) device_->release(data_, size_ * sizeof(T));
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  View<T> view() const { return {data_, size_}; }
  Rows<T> rows(std::size_t rows, std::size_t columns) const {
    if (rows * columns != size_)
      fail<ShapeError>("[rows] expected {} x {} elements, the buffer has {}", rows, columns, size_);
    return {data_, rows, columns};
  }
  operator View<T>() const { return view(); }
  operator View<const T>() const { return view(); }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies host memory to the device. Waits: the host memory may be reused at once.
template <class T>
void copy_to_device(Device& device, std::span<const T> src, View<T> dst) {
  if (src.size() != dst.size)
    fail<ShapeError>("[copy_to_device] expected {} elements, got {}", dst.size, src.size());
  device.copy(src.data(), dst.data, src.size_bytes());
}

/// Copies device memory to the host and waits for it, and so for all work before it.
template <class T>
void copy_to_host(Device& device, View<const T> src, std::span<T> dst) {
  if (src.size != dst.size())
    fail<ShapeError>("[copy_to_host] expected {} elements, got {}", dst.size(), src.size);
  device.copy(src.data, dst.data(), dst.size_bytes());
}

template <class T>
Buffer<T> to_device(Device& device, const std::vector<T>& values) {
  Buffer<T> buffer(device, values.size());
  copy_to_device<T>(device, values, buffer.view());
  return buffer;
}

template <class T>
std::vector<std::remove_const_t<T>> to_host(Device& device, View<T> view) {
  std::vector<std::remove_const_t<T>> values(view.size);
  copy_to_host<std::remove_const_t<T>>(device, view, values);
  return values;
}

template <class T>
std::vector<T> to_host(Device& device, const Buffer<T>& buffer) {
  return to_host(device, buffer.view());
}

}  // namespace opencd::kernels
