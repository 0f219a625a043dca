#include "data/pixel_cache.hpp"

#include "data/file.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/sha256.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

namespace opencd::data {

namespace {

constexpr char kMagic[8] = {'o', 'p', 'e', 'n', 'c', 'd', 'p', '1'};

struct Trailer {
  std::uint64_t rows;
  std::uint64_t row_bytes;
  std::uint64_t text_bytes;
  char key[64];
  char digest[64];  // of rows and text
  char magic[8];
};

bool same(std::span<const char> stored, std::string_view text) {
  return std::equal(stored.begin(), stored.end(), text.begin(), text.end());
}

/// The whole file in memory for as long as anyone holds it.
std::optional<Bytes> map_file(const std::filesystem::path& path) {
  const files::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size == 0)
    return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return std::nullopt;
  const std::shared_ptr<const void> owner(start, [size](void* at) { ::munmap(at, size); });
  return Bytes(owner, {static_cast<const std::uint8_t*>(start), size});
}

std::vector<BrokenPicture> parse_broken(std::string_view text) {
  std::vector<BrokenPicture> broken;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    BrokenPicture entry;
    const auto end = std::from_chars(line.data(), line.data() + line.size(), entry.index).ptr;
    entry.reason =
        line.substr(std::min(line.size(), static_cast<std::size_t>(end - line.data()) + 1));
    broken.push_back(std::move(entry));
  }
  return broken;
}

}  // namespace

std::filesystem::path cache_file(const std::filesystem::path& folder, const CacheKey& key) {
  return folder / (key + ".pixels");
}

std::optional<DecodedPictures> open_pixel_cache(const std::filesystem::path& file,
                                                const CacheKey& key,
                                                std::size_t row_bytes) {
  const std::optional<Bytes> bytes = map_file(file);
  if (!bytes || bytes->size() < sizeof(Trailer)) return std::nullopt;
  const Bytes body = bytes->first(bytes->size() - sizeof(Trailer));
  Trailer trailer;
  std::memcpy(&trailer, bytes->view().data() + body.size(), sizeof(trailer));
  std::size_t pixel_bytes = 0;
  if (!std::ranges::equal(trailer.magic, kMagic) || !same(trailer.key, key) ||
      trailer.row_bytes != row_bytes ||
      __builtin_mul_overflow(trailer.rows, trailer.row_bytes, &pixel_bytes) ||
      pixel_bytes > body.size() || body.size() - pixel_bytes != trailer.text_bytes ||
      !same(trailer.digest, files::sha256(std::as_bytes(body.view()))))
    return std::nullopt;
  const auto text = body.from(pixel_bytes).view();
  return DecodedPictures{body.first(pixel_bytes),
                         parse_broken({reinterpret_cast<const char*>(text.data()), text.size()})};
}

struct PixelCacheWriter::State {
  explicit State(const std::filesystem::path& path) : file(path) {}

  void write(std::span<const std::byte> bytes) {
    digest.update(bytes);
    file.write(bytes);
  }

  files::AtomicFile file;
  Trailer trailer{};
  files::Sha256 digest;
};

PixelCacheWriter::PixelCacheWriter(const std::filesystem::path& file,
                                   const CacheKey& key,
                                   std::size_t row_bytes)
    : state_(std::make_unique<State>(file)) {
  std::ranges::copy(kMagic, state_->trailer.magic);
  key.copy(state_->trailer.key, sizeof(state_->trailer.key));
  state_->trailer.row_bytes = row_bytes;
}

PixelCacheWriter::~PixelCacheWriter() = default;

void PixelCacheWriter::add_row(std::span<const std::uint8_t> row) {
  state_->write(std::as_bytes(row));
  ++state_->trailer.rows;
}

void PixelCacheWriter::finish(const std::vector<BrokenPicture>& broken) {
  std::string text;
  for (const BrokenPicture& picture : broken)
    text += fmt::format("{} {}\n", picture.index, display_text(picture.reason));
  state_->write(std::as_bytes(std::span(text)));
  Trailer& trailer = state_->trailer;
  trailer.text_bytes = text.size();
  state_->digest.finish().copy(trailer.digest, sizeof(trailer.digest));
  state_->file.write(std::as_bytes(std::span(&trailer, 1)));
  state_->file.commit();
}

}  // namespace opencd::data
