#include "kernels/row_stream.hpp"

#include "kernels/check.hpp"
#include "kernels/sycl_access.hpp"

#include <algorithm>
#include <array>

namespace opencd::kernels {

namespace {

/// Host memory that the device can copy from while the host goes on.
template <class T>
class HostBuffer {
 public:
  HostBuffer(sycl::queue& queue, std::size_t size)
      : queue_(queue), data_(sycl::malloc_host<T>(size, queue)), size_(size) {
    if (data_ == nullptr)
      fail<DeviceError>("[row_stream] asked for {} bytes of host memory, got none",
                        size * sizeof(T));
  }
  ~HostBuffer() { sycl::free(data_, queue_); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  T* data() const { return data_; }
  std::span<T> part(std::size_t first, std::size_t count) const {
    return std::span(data_, size_).subspan(first, count);
  }

 private:
  sycl::queue queue_;
  T* data_;
  std::size_t size_;
};

/// One of the two blocks: the batch on the host, on the device, and who is still busy with it.
struct Block {
  HostBuffer<std::uint8_t> host_pixels;
  HostBuffer<std::int32_t> host_rows;
  Buffer<std::uint8_t> pixels;
  Buffer<std::int32_t> rows;
  sycl::event copied;  // the host's memory may be written again
  sycl::event used;    // the device's memory may be written again

  Block(Device& device, std::size_t batch, std::size_t row_size)
      : host_pixels(queue_of(device), batch * row_size),
        host_rows(queue_of(device), batch),
        pixels(device, batch * row_size),
        rows(device, batch) {}
};

}  // namespace

struct RowStream::State {
  Device& device;
  PictureShape shape;
  std::size_t batch;
  Fetch fetch;
  sycl::queue copies;  // beside the device's queue, so that copies and kernels overlap
  std::array<Block, 2> blocks;
  std::size_t calls = 0;

  State(Device& on, const PictureShape& of, std::size_t at_most, Fetch from)
      : device(on),
        shape(of),
        batch(at_most),
        fetch(std::move(from)),
        copies(queue_of(on).get_context(),
               queue_of(on).get_device(),
               sycl::property::queue::in_order()),
        blocks{Block(on, at_most, of.size()), Block(on, at_most, of.size())} {}
};

RowStream::RowStream(Device& device, const PictureShape& shape, std::size_t batch, Fetch fetch)
    : state_(std::make_unique<State>(device, shape, batch, std::move(fetch))) {}

RowStream::~RowStream() {
  try {
    state_->copies.wait();
  } catch (const std::exception&) {
    // Work that fails while the stream ends is reported by the device's next wait.
  }
}

StreamedBatch RowStream::next(std::span<const std::int32_t> rows) {
  State& state = *state_;
  if (rows.size() > state.batch)
    fail<ShapeError>("[row_stream] expected at most {} rows, got {}", state.batch, rows.size());
  Block& block = state.blocks[state.calls % 2];
  Block& other = state.blocks[(state.calls + 1) % 2];
  ++state.calls;

  const std::size_t row_size = state.shape.size();
  block.copied.wait();
  for (std::size_t i = 0; i < rows.size(); ++i)
    state.fetch(rows[i], block.host_pixels.part(i * row_size, row_size));
  std::copy(rows.begin(), rows.end(), block.host_rows.data());

  try {
    sycl::queue& queue = queue_of(state.device);
    other.used = queue.ext_oneapi_submit_barrier();  // after all work on the batch handed out last
    state.copies.submit([&](sycl::handler& handler) {
      handler.depends_on(block.used);
      handler.memcpy(block.pixels.data(), block.host_pixels.data(), rows.size() * row_size);
    });
    block.copied =
        state.copies.memcpy(block.rows.data(), block.host_rows.data(), rows.size_bytes());
    queue.ext_oneapi_submit_barrier({block.copied});
  } catch (const sycl::exception& error) {
    fail<DeviceError>("[row_stream] a copy could not be started on {}: {}",
                      state.device.info().name, error.what());
  }
  return {{block.pixels.view().slice(0, rows.size() * row_size), state.shape, true},
          block.rows.view().slice(0, rows.size())};
}

}  // namespace opencd::kernels
