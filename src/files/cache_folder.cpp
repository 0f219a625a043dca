#include "files/cache_folder.hpp"

#include "files/atomic_file.hpp"
#include "files/input_file.hpp"
#include "files/sha256.hpp"

#include <chrono>
#include <cstdlib>

namespace opencd::files {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;
constexpr auto kLifetime = std::chrono::hours(24 * 90);
constexpr const char* kSuffix = ".cached";

}  // namespace

fs::path CacheFolder::file_of(std::string_view key) const {
  return path_ / (sha256(key) + kSuffix);
}

std::optional<std::string> CacheFolder::load(std::string_view key) const noexcept {
  try {
    const fs::path file = file_of(key);
    if (!fs::is_regular_file(file)) return std::nullopt;
    std::string text = read_text_file(file, kMostBytes);
    const std::size_t digest = text.find('\n');  // of what follows it
    if (digest == std::string::npos) return std::nullopt;
    std::string bytes = text.substr(digest + 1);
    if (sha256(bytes) != text.substr(0, digest)) return std::nullopt;
    return bytes;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void CacheFolder::store(std::string_view key, std::string_view bytes) const noexcept {
  try {
    if (fs::create_directories(path_)) fs::permissions(path_, fs::perms::owner_all);
    remove_old();
    AtomicFile file(file_of(key));
    file.write(sha256(bytes) + "\n");
    file.write(bytes);
    file.commit();
  } catch (const std::exception&) {
    // It will be made again next time.
  }
}

void CacheFolder::remove_old() const {
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& entry : fs::directory_iterator(path_))
    if (entry.path().extension() == kSuffix && now - entry.last_write_time() > kLifetime)
      fs::remove(entry.path());
}

fs::path user_cache(std::string_view name) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "opencd_sycl" / name;
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache" / "opencd_sycl" / name;
  return {};
}

}  // namespace opencd::files
