#include "data/picture_stream.hpp"

#include "data/file.hpp"
#include "data/parallel.hpp"
#include "data/picture.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace opencd::data {

namespace {

/// Decodes one file into its row; what is wrong with it, or nothing.
std::string decode_into(const std::filesystem::path& file, std::size_t size, std::uint8_t* row) {
  try {
    std::ranges::copy(fit_square(decode_upright(read_file(file, kMaxPictureBytes), size), size),
                      row);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

/// Blocks go round in a ring. Workers take pictures one by one in order, so that the earliest block
/// is always finished first; a worker that would touch a block still in use waits.
struct PictureStream::State {
  std::vector<std::filesystem::path> files;
  StreamOptions options;
  std::vector<PictureBlock> ring;
  std::vector<std::size_t> undone;  // pictures of each block that are still being decoded

  std::mutex mutex;
  std::condition_variable block_done;
  std::condition_variable block_free;
  std::size_t next_picture = 0;  // to be taken by a worker
  std::size_t next_block = 0;    // to be given out
  bool stopping = false;
  std::vector<std::jthread> workers;

  std::size_t blocks() const { return (files.size() + options.block - 1) / options.block; }
  std::size_t slot(std::size_t block) const { return block % ring.size(); }

  /// Makes `block` ready to be filled in its slot.
  void prepare(std::size_t block) {
    PictureBlock& slot_block = ring[slot(block)];
    slot_block.first = block * options.block;
    const std::size_t count = std::min(options.block, files.size() - slot_block.first);
    slot_block.pixels.assign(count * options.size * options.size * 3, 0);
    slot_block.errors.assign(count, "");
    undone[slot(block)] = count;
  }

  /// Takes the next picture; false when there is none left. The caller holds the lock. The block
  /// given out last is still in the caller's hands, so its slot is not free yet.
  bool take(std::unique_lock<std::mutex>& lock, std::size_t& picture) {
    block_free.wait(lock, [&] {
      return stopping || next_picture >= files.size() ||
             next_picture / options.block + 1 < next_block + ring.size();
    });
    if (stopping || next_picture >= files.size()) return false;
    picture = next_picture++;
    if (picture % options.block == 0) prepare(picture / options.block);
    return true;
  }

  void work() {
    std::unique_lock lock(mutex);
    std::size_t picture = 0;
    while (take(lock, picture)) {
      const std::size_t at = slot(picture / options.block);
      PictureBlock& block = ring[at];
      const std::size_t index = picture - block.first;
      std::uint8_t* row = block.pixels.data() + index * options.size * options.size * 3;
      lock.unlock();
      std::string error = decode_into(files[picture], options.size, row);
      lock.lock();
      block.errors[index] = std::move(error);
      if (--undone[at] == 0) block_done.notify_one();
    }
  }
};

PictureStream::PictureStream(std::vector<std::filesystem::path> files, const StreamOptions& options)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.files = std::move(files);
  s.options = options;
  s.options.block = std::max<std::size_t>(options.block, 1);
  // One block is with the caller; at least one more is filled meanwhile.
  s.ring.resize(std::max<std::size_t>(options.blocks_ahead, 1) + 1);
  s.undone.resize(s.ring.size());
  const std::size_t threads = std::min<std::size_t>(thread_count(options.threads), s.files.size());
  for (std::size_t i = 0; i < threads; ++i) s.workers.emplace_back([&s] { s.work(); });
}

PictureStream::~PictureStream() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->block_free.notify_all();
}

const PictureBlock* PictureStream::next() {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  if (s.next_block >= s.blocks()) return nullptr;
  const std::size_t block = s.next_block++;
  s.block_free.notify_all();
  // Taken from first to last, so the block has been prepared once its last picture is taken.
  const std::size_t end = std::min(s.files.size(), (block + 1) * s.options.block);
  s.block_done.wait(lock, [&] { return s.next_picture >= end && s.undone[s.slot(block)] == 0; });
  return &s.ring[s.slot(block)];
}

std::size_t decode_and_count(const std::vector<std::filesystem::path>& files,
                             const StreamOptions& options) {
  PictureStream stream(files, options);
  std::ptrdiff_t sound = 0;
  while (const PictureBlock* block = stream.next())
    sound += std::count(block->errors.begin(), block->errors.end(), "");
  return static_cast<std::size_t>(sound);
}

}  // namespace opencd::data
