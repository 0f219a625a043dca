#include "kernels/norm.hpp"

#include "kernels/check.hpp"
#include "kernels/device/norm.hpp"
#include "kernels/launch.hpp"

namespace opencd::kernels {

namespace {

constexpr std::size_t kBlockSize = 8192;

/// Depends on the size alone, so that the sum is the same on every run.
std::size_t blocks_of(std::size_t count) { return (count + kBlockSize - 1) / kBlockSize; }

}  // namespace

void squared_norm(Device& device, Scratch& scratch, View<const float> src, View<NormRecord> dst) {
  require_equal("squared_norm", "records", 1, dst.size);
  const Scratch::Frame frame(scratch);
  const std::size_t count = blocks_of(src.size);
  const View<NormRecord> blocks = scratch.take<NormRecord>(count);
  launch_rows(device, count, kBlockSize,
              NormBlocks{src.data, blocks.data, src.size, static_cast<int>(kBlockSize)});
  launch_rows(device, 1, count, NormCombine{blocks.data, dst.data, to_int("squared_norm", count)});
}

std::size_t norm_scratch_bytes(std::size_t count) {
  return Scratch::aligned(blocks_of(count) * sizeof(NormRecord));
}

}  // namespace opencd::kernels
