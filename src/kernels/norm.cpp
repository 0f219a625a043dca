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
  squared_norm(device, scratch, std::span(&src, 1), dst);
}

void squared_norm(Device& device,
                  Scratch& scratch,
                  std::span<const View<const float>> parts,
                  View<NormRecord> dst) {
  require_equal("squared_norm", "records", 1, dst.size);
  const Scratch::Frame frame(scratch);
  std::size_t count = 0;
  for (const View<const float>& part : parts) count += blocks_of(part.size);
  const View<NormRecord> blocks = scratch.take<NormRecord>(count);
  NormRecord* next = blocks.data;
  for (const View<const float>& part : parts) {
    const std::size_t own = blocks_of(part.size);
    launch_rows(device, own, kBlockSize,
                NormBlocks{part.data, next, part.size, static_cast<int>(kBlockSize)});
    next += own;
  }
  launch_rows(device, 1, count, NormCombine{blocks.data, dst.data, to_int("squared_norm", count)});
}

std::size_t norm_scratch_bytes(std::size_t count, std::size_t parts) {
  // Every part may end in a block that it does not fill.
  return Scratch::aligned((blocks_of(count) + parts - 1) * sizeof(NormRecord));
}

}  // namespace opencd::kernels
