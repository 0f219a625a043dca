#include "data/pixel_cache.hpp"

#include "data/file.hpp"
#include "data/sha256.hpp"
#include "error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace opencd::data {

namespace {

constexpr std::size_t kHeaderBytes = 4096;
constexpr char kMagic[8] = {'o', 'p', 'e', 'n', 'c', 'd', 'p', '1'};

struct Header {
  char magic[8];
  std::uint64_t rows;
  std::uint64_t row_bytes;
  std::uint64_t text_bytes;
  CacheKey key;
  std::array<std::uint8_t, 32> digest;  // of rows and text
};

/// The whole file in memory for as long as anyone holds it.
std::optional<Bytes> map_file(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
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

std::filesystem::path default_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache && *cache) return std::filesystem::path(cache) / "opencd_sycl" / "pixels";
  if (home && *home) return std::filesystem::path(home) / ".cache" / "opencd_sycl" / "pixels";
  return {};
}

std::filesystem::path cache_file(const std::filesystem::path& folder, const CacheKey& key) {
  std::string name;
  for (const std::uint8_t byte : key) name += fmt::format("{:02x}", byte);
  return folder / (name + ".pixels");
}

std::optional<DecodedPictures> open_pixel_cache(const std::filesystem::path& file,
                                                const CacheKey& key,
                                                std::size_t row_bytes) {
  const std::optional<Bytes> bytes = map_file(file);
  if (!bytes || bytes->size() < kHeaderBytes) return std::nullopt;
  Header header;
  std::memcpy(&header, bytes->view().data(), sizeof(header));
  const Bytes body = bytes->from(kHeaderBytes);
  std::size_t pixel_bytes = 0;
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.key != key ||
      header.row_bytes != row_bytes ||
      __builtin_mul_overflow(header.rows, header.row_bytes, &pixel_bytes) ||
      pixel_bytes > body.size() || body.size() - pixel_bytes != header.text_bytes ||
      sha256(body.view()) != header.digest)
    return std::nullopt;
  const auto text = body.from(pixel_bytes).view();
  return DecodedPictures{body.first(pixel_bytes),
                         parse_broken({reinterpret_cast<const char*>(text.data()), text.size()})};
}

struct PixelCacheWriter::State {
  explicit State(const std::filesystem::path& path) : file(path) {}

  AtomicFile file;
  Header header{};
  Sha256 digest;
};

PixelCacheWriter::PixelCacheWriter(const std::filesystem::path& file,
                                   const CacheKey& key,
                                   std::size_t row_bytes)
    : state_(std::make_unique<State>(file)) {
  std::memcpy(state_->header.magic, kMagic, sizeof(kMagic));
  state_->header.key = key;
  state_->header.row_bytes = row_bytes;
  state_->file.write(std::vector<std::uint8_t>(kHeaderBytes));
}

PixelCacheWriter::~PixelCacheWriter() = default;

void PixelCacheWriter::add_row(std::span<const std::uint8_t> row) {
  state_->digest.add(row);
  state_->file.write(row);
  ++state_->header.rows;
}

void PixelCacheWriter::finish(const std::vector<BrokenPicture>& broken) {
  std::string text;
  for (const BrokenPicture& picture : broken)
    text += fmt::format("{} {}\n", picture.index, display_text(picture.reason));
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  state_->digest.add(bytes);
  state_->file.write(bytes);
  state_->header.text_bytes = text.size();
  state_->header.digest = state_->digest.digest();
  state_->file.write_at(
      0, {reinterpret_cast<const std::uint8_t*>(&state_->header), sizeof(state_->header)});
  state_->file.commit();
}

}  // namespace opencd::data
