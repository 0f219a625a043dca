#include "nn/engine.hpp"

#include "error.hpp"
#include "kernels/sycl_access.hpp"

#include <dnnl_sycl.hpp>

#if defined(OPENCD_ONEMKL)
#include <mkl_version.h>
#endif

namespace opencd::nn {

namespace {

dnnl::engine make_engine(Device& device) {
  const sycl::queue& queue = kernels::queue_of(device);
  try {
    return dnnl::sycl_interop::make_engine(queue.get_device(), queue.get_context());
  } catch (const dnnl::error& error) {
    fail<DeviceError>("[engine] oneDNN does not serve {}: {}", device.info().name, error.what());
  }
}

}  // namespace

Engine::Engine(Device& device)
    : device_(device),
      engine_(make_engine(device)),
      stream_(dnnl::sycl_interop::make_stream(engine_, kernels::queue_of(device))) {}

dnnl::memory Engine::wrap(const dnnl::memory::desc& desc, const void* data) const {
  // oneDNN takes inputs and outputs through one type; const is kept by the callers' views.
  return dnnl::sycl_interop::make_memory(desc, engine_, dnnl::sycl_interop::memory_kind::usm,
                                         const_cast<void*>(data));
}

void Engine::execute(const char* name,
                     const dnnl::primitive& primitive,
                     const std::unordered_map<int, dnnl::memory>& arguments) const {
  kernels::submit(device_, kernels::Submitter::library, name, [&](sycl::queue&) {
    try {
      return dnnl::sycl_interop::execute(primitive, stream_, arguments);
    } catch (const dnnl::error& error) {
      fail<DeviceError>("[{}] oneDNN could not run it on {}: {}", name, device_.info().name,
                        error.what());
    }
  });
}

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
}

std::string onemkl_version() {
#if defined(OPENCD_ONEMKL)
  return fmt::format("oneMKL {}.{}.{}", __INTEL_MKL__, __INTEL_MKL_MINOR__, __INTEL_MKL_UPDATE__);
#else
  return "no oneMKL";
#endif
}

}  // namespace opencd::nn
