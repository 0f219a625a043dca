// An entry of a cache, such as that of the kernels. Bytes come out only if they are those of their digest.
#include "files/cache_folder.hpp"
#include "files/sha256.hpp"
#include "fuzz_folder.hpp"

using namespace opencd;

namespace {

/// The file that holds the entry of `key`.
std::filesystem::path entry_of(const files::CacheFolder& cache, std::string_view key) {
  cache.store(key, "bytes");
  return std::filesystem::directory_iterator(fuzz::work_folder())->path();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const files::CacheFolder cache(fuzz::work_folder());
  static const std::filesystem::path entry = entry_of(cache, "key");
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  fuzz::put(entry, text);
  if (const auto found = cache.load("key"))
    if (files::sha256(*found) + "\n" + *found != text) __builtin_trap();
  if (cache.load("another key")) __builtin_trap();
  return 0;
}
