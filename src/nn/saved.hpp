// What a forward pass keeps for its backward pass: one block of memory, owned by the caller, so
// that several passes can be in flight through one network.
//
// While a network is built, its layers reserve slots in a SavedLayout; every Saved of that network
// then has the same slots.
#pragma once

#include "kernels/scratch.hpp"
#include "nn/shape.hpp"

namespace opencd::nn {

/// A place in a Saved.
struct Slot {
  std::size_t offset = 0;  // bytes
  std::size_t floats = 0;
};

class SavedLayout {
 public:
  Slot reserve_floats(std::size_t floats) {
    const Slot slot{bytes_, floats};
    bytes_ += kernels::Scratch::aligned(floats * sizeof(float));
    return slot;
  }
  Slot reserve(const Desc& desc) { return reserve_floats((desc.get_size() + 3) / sizeof(float)); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

class Saved {
 public:
  Saved(kernels::Device& device, const SavedLayout& layout) : memory_(device, layout.bytes()) {}

  kernels::View<float> at(const Slot& slot) const {
    return {reinterpret_cast<float*>(memory_.data() + slot.offset), slot.floats};
  }
  std::size_t bytes() const { return memory_.size(); }

 private:
  kernels::Buffer<std::byte> memory_;
};

}  // namespace opencd::nn
