// Folders of pictures as a data set: found, decoded on all cores and brought to one square size.
#pragma once

#include "data/image_set.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>

namespace opencd::data {

struct FolderOptions {
  /// Pixels a side; 0 takes the median of the shorter sides, at most 224.
  std::size_t size = 0;
  /// A file that names the classes to take, in order; the set then has the name of the file. Empty: all.
  std::filesystem::path class_list;
  /// Refuse the set for one broken picture instead of leaving it out.
  bool strict = false;
  unsigned threads = 0;                ///< 0 means one for each core
  std::filesystem::path cache_folder;  ///< keep decoded pictures here; empty keeps none
  /// Told now and then how many of how many pictures are decoded.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// Reads `root` as `find_pictures` sees it. Broken pictures are left out and named in the set;
/// FormatError if that leaves a class without any. Without a cache the pixels must fit in memory.
ImageSet read_image_folder(const std::filesystem::path& root, const FolderOptions& options);

}  // namespace opencd::data
