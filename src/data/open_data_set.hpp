// From what a user types as DATA to rows of pictures.
#pragma once

#include "data/image_folder.hpp"
#include "data/image_set.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace opencd::data {

enum class DataFormat { automatic, cifar, idx, folder, array };

/// UsageError unless `name` is auto, cifar, idx, folder or array.
DataFormat parse_data_format(std::string_view name);

struct DataOptions {
  DataFormat format = DataFormat::automatic;
  bool rgb = true;               ///< grey pictures become RGB
  std::filesystem::path labels;  ///< labels file for a set that is labelled in part
  std::size_t limit = 0;         ///< keep only the first training rows; 0 keeps all
  FolderOptions folder;          ///< for folders of pictures
};

/// Opens a path or a name: `fashion-mnist` (where Debian's dataset-fashion-mnist puts it),
/// `synthetic[:key=value,...]`, a folder of CIFAR binaries, IDX files or pictures, or an array file.
ImageSet open_data_set(const std::string& data, const DataOptions& options = {});

}  // namespace opencd::data
