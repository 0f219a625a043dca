// Bytes that are costly to make and can be made again, kept in files of a folder. Whatever goes wrong,
// a full disk, a folder that may not be written, a file that is damaged, only costs the time to make
// them again: nothing here throws.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace opencd::files {

class CacheFolder {
 public:
  /// Made, readable by its owner alone, when first needed.
  explicit CacheFolder(std::filesystem::path path) : path_(std::move(path)) {}

  /// What `store` was given for the same key; nothing if it is not there or not whole.
  std::optional<std::string> load(std::string_view key) const noexcept;
  /// Also removes entries that were made more than ninety days ago.
  void store(std::string_view key, std::string_view bytes) const noexcept;

 private:
  std::filesystem::path file_of(std::string_view key) const;
  void remove_old() const;

  std::filesystem::path path_;
};

/// Where the program's cache of this name lies unless the user says otherwise:
/// $XDG_CACHE_HOME/opencd_sycl/NAME, or the same below ~/.cache. Empty if there is no home.
std::filesystem::path user_cache(std::string_view name);

}  // namespace opencd::files
