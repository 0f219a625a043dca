// Temporary device memory for one step: one allocation, handed out piece by piece, taken back all
// at once. A step that takes its temporaries from here allocates nothing.
#pragma once

#include "kernels/memory.hpp"

namespace opencd::kernels {

class Scratch {
 public:
  Scratch(Device& device, std::size_t bytes) : memory_(device, bytes) {}

  /// The bytes that a piece of `bytes` bytes really takes.
  static std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// A piece that stays valid until the frame it was taken in ends.
  template <class T>
  View<T> take(std::size_t count) {
    const std::size_t bytes = aligned(count * sizeof(T));
    if (bytes > memory_.size() - used_)
      fail<DeviceError>(
          "[scratch] expected at most {} bytes to be taken, got {} after {} were in use",
          memory_.size(), bytes, used_);
    T* data = reinterpret_cast<T*>(memory_.data() + used_);
    used_ += bytes;
    if (used_ > peak_) peak_ = used_;
    return {data, count};
  }
  template <class T>
  Rows<T> take_rows(std::size_t rows, std::size_t columns) {
    return {take<T>(rows * columns).data, rows, columns};
  }

  std::size_t capacity() const { return memory_.size(); }
  std::size_t used() const { return used_; }
  std::size_t peak() const { return peak_; }

  /// Gives back, when it ends, what was taken since it began. Work in the queue may still use the
  /// pieces: the queue is in order, so whoever takes them next comes after.
  class Frame {
   public:
    explicit Frame(Scratch& scratch) : scratch_(scratch), mark_(scratch.used_) {}
    ~Frame() { scratch_.used_ = mark_; }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Scratch& scratch_;
    std::size_t mark_;
  };

 private:
  static constexpr std::size_t kAlignment =
      256;  // what every vendor's memory transactions are happy with

  Buffer<std::byte> memory_;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace opencd::kernels
