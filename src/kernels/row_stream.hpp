// Pictures of a set that is too large for the device, batch by batch. Two blocks are in flight: while
// the device works on one batch, the host gathers the next and the device copies it.
#pragma once

#include "kernels/augment.hpp"

#include <functional>
#include <memory>
#include <span>

namespace opencd::kernels {

/// A batch on the device: what `Augmenter::augment` takes.
struct StreamedBatch {
  Pictures pictures;
  View<const std::int32_t> rows;
};

class RowStream {
 public:
  /// Writes the bytes of a picture, height x width x channels, to host memory.
  using Fetch = std::function<void(std::int32_t row, std::span<std::uint8_t> pixels)>;

  /// Takes device memory for two batches of at most `batch` pictures, and as much host memory.
  RowStream(Device& device, const PictureShape& shape, std::size_t batch, Fetch fetch);
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// Fetches the pictures of `rows` and starts to copy them; work that is submitted afterwards finds
  /// them there. The batch stays valid for work submitted before the next call but one. Waits only
  /// for the copy of the last batch but one.
  StreamedBatch next(std::span<const std::int32_t> rows);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opencd::kernels
