// A Device as oneDNN sees it: engine and stream that share the device's context and queue. Made
// once beside the Device and passed by reference to everything that computes with oneDNN or oneMKL.
#pragma once

#include "kernels/device.hpp"

#include <dnnl.hpp>

#include <unordered_map>

namespace opencd::nn {

using kernels::Device;

class Engine {
 public:
  explicit Engine(Device& device);

  Device& device() const { return device_; }
  const dnnl::engine& dnnl() const { return engine_; }

  /// Wraps device memory for oneDNN; never copies.
  dnnl::memory wrap(const dnnl::memory::desc& desc, const void* data) const;

  /// Puts a primitive into the queue. `name` is what an error message calls it.
  void execute(const char* name,
               const dnnl::primitive& primitive,
               const std::unordered_map<int, dnnl::memory>& arguments) const;

 private:
  Device& device_;
  dnnl::engine engine_;
  mutable dnnl::stream stream_;
};

/// The versions of oneDNN and, where it is linked, of oneMKL: "oneDNN 3.13.2", "oneMKL 2026.2".
std::string onednn_version();
std::string onemkl_version();

}  // namespace opencd::nn
