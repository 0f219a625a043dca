// Finding the pictures of a folder: root/[train/]class/**/*.jpg|jpeg|png with root/val or root/test
// held out, classes sorted by name, pictures as torchvision's ImageFolder orders them. A folder
// without class folders is taken as one heap of pictures whose classes nobody knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace opencd::data {

/// Pictures of one part of a folder, in order.
struct PictureFiles {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> paths;    ///< the same, relative to the root of the set
  std::vector<std::int32_t> labels;  ///< class of each, or kNoLabel

  std::size_t size() const { return files.size(); }
};

struct PictureFolder {
  std::vector<std::string> class_names;
  PictureFiles train;
  PictureFiles test;
  /// Files whose names are no clean text, and folders that cannot be entered: "path: reason".
  std::vector<std::string> left_out;
};

/// Whether a file is named like a picture: .jpg, .jpeg or .png in any case.
bool is_picture_name(const std::filesystem::path& path);

/// Walks the folder. Links are followed, each folder is entered once, hidden names are skipped. If
/// `classes` names any, these alone are taken, in that order; else all, sorted by name.
/// FormatError for a class without pictures or, if it is named, without a folder, a class name that is
/// no clean text, a held-out class that has no training pictures, and a folder without any pictures.
PictureFolder find_pictures(const std::filesystem::path& root,
                            const std::vector<std::string>& classes = {});

/// All pictures below a folder, whatever its folders mean; none has a class. FormatError if there are
/// none.
PictureFolder find_all_pictures(const std::filesystem::path& root);

}  // namespace opencd::data
