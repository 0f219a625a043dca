#include "kernels/readback.hpp"

#include "kernels/sycl_access.hpp"

namespace opencd::kernels {

struct ByteReadback::State {
  Device& device;
  std::size_t bytes;
  void* host;  // where the device can copy to without help
  sycl::event copied;
};

ByteReadback::ByteReadback(Device& device, std::size_t bytes) {
  void* host = sycl::malloc_host(bytes, queue_of(device));
  if (host == nullptr)
    fail<DeviceError>("[readback] {} bytes of host memory could not be taken for {}", bytes,
                      device.info().name);
  state_ = std::make_unique<State>(State{device, bytes, host, {}});
}

ByteReadback::~ByteReadback() {
  try {
    state_->copied.wait();
    sycl::free(state_->host, queue_of(state_->device));
  } catch (const std::exception&) {
    // A failing device is reported by its next `wait`; a destructor must not throw.
  }
}

void ByteReadback::start(const void* src) {
  State& state = *state_;
  submit(state.device, Submitter::kernels, "readback", [&](sycl::queue& queue) {
    return state.copied = queue.memcpy(state.host, src, state.bytes);
  });
}

const void* ByteReadback::finish() {
  try {
    state_->copied.wait_and_throw();
  } catch (const sycl::exception&) {
    state_->device.wait();  // says which kernels failed
  }
  return state_->host;
}

}  // namespace opencd::kernels
