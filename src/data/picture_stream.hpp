// Decodes many pictures on all cores, ahead of use and in order, in memory that does not grow with
// their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace opencd::data {

/// Files larger than this are no pictures.
constexpr std::size_t kMaxPictureBytes = std::size_t{1} << 28;

/// A run of consecutive pictures, decoded to size x size RGB. A broken one leaves its row black and
/// the reason in `errors`, which is empty for sound ones.
struct PictureBlock {
  std::size_t first = 0;  ///< number of its first picture
  std::vector<std::uint8_t> pixels;
  std::vector<std::string> errors;

  std::size_t size() const { return errors.size(); }
  std::span<const std::uint8_t> row(std::size_t index) const {
    const std::size_t bytes = pixels.size() / errors.size();
    return std::span(pixels).subspan(index * bytes, bytes);
  }
};

struct StreamOptions {
  std::size_t size = 224;        ///< pixels a side
  unsigned threads = 0;          ///< 0 means one for each core
  std::size_t block = 32;        ///< pictures in a block
  std::size_t blocks_ahead = 3;  ///< decoded and waiting, at most
};

class PictureStream {
 public:
  PictureStream(std::vector<std::filesystem::path> files, const StreamOptions& options);
  ~PictureStream();
  PictureStream(const PictureStream&) = delete;
  PictureStream& operator=(const PictureStream&) = delete;

  /// The next block, or null after the last. It stays valid until the next call.
  const PictureBlock* next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Decodes all pictures and keeps none: what `bench data` times. Returns how many were sound.
std::size_t decode_and_count(const std::vector<std::filesystem::path>& files,
                             const StreamOptions& options);

}  // namespace opencd::data
