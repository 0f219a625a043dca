#include "data/expansion.hpp"

#include "error.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace opencd::data {

void check_expansion(std::size_t packed, std::size_t expanded, const std::string& name) {
  constexpr std::size_t kDeflateLimit = 1032;
  constexpr std::size_t kSlack = 4096;
  constexpr std::size_t kLarge = std::size_t{256} << 20;
  constexpr std::size_t kPlausible = 100;
  if (expanded / kDeflateLimit > packed + kSlack)
    fail<FormatError>("[compressed data] {}: {} bytes cannot expand to {}", name, packed, expanded);
  if (expanded > kLarge && expanded / kPlausible > packed)
    fail<FormatError>(
        "[compressed data] {}: {} bytes would expand to {}, more than {} times: refused as a bomb",
        name, packed, expanded, kPlausible);
}

struct GzipReader::State {
  std::span<const std::uint8_t> rest;
  std::string name;
  std::size_t produced = 0;
  bool finished = false;
  z_stream stream{};
};

GzipReader::GzipReader(std::span<const std::uint8_t> packed, std::string name)
    : state_(std::make_unique<State>()) {
  state_->rest = packed;
  state_->name = std::move(name);
  constexpr int kGzipOnly = 16;
  if (inflateInit2(&state_->stream, kGzipOnly + MAX_WBITS) != Z_OK)
    fail<Error>("[gzip] {}: no memory", state_->name);
}

GzipReader::~GzipReader() { inflateEnd(&state_->stream); }

std::size_t GzipReader::read(std::span<std::uint8_t> dst) {
  State& s = *state_;
  constexpr std::size_t kStep = std::numeric_limits<uInt>::max();
  std::size_t done = 0;
  while (done < dst.size() && !s.finished) {
    const std::size_t room = std::min(dst.size() - done, kStep);
    const std::size_t input = std::min(s.rest.size(), kStep);
    s.stream.next_in = const_cast<Bytef*>(s.rest.data());
    s.stream.avail_in = static_cast<uInt>(input);
    s.stream.next_out = dst.data() + done;
    s.stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&s.stream, Z_NO_FLUSH);
    const std::size_t made = room - s.stream.avail_out;
    s.rest = s.rest.subspan(input - s.stream.avail_in);
    done += made;
    s.produced += made;
    if (status == Z_STREAM_END) {
      s.finished = true;
    } else if (status != Z_OK) {
      fail<FormatError>("[gzip] {}: broken or cut after {} bytes of content ({})", s.name,
                        s.produced, s.stream.msg ? s.stream.msg : "input ended");
    }
  }
  return done;
}

}  // namespace opencd::data
