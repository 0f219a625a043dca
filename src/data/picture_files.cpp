#include "data/picture_files.hpp"

#include "data/file.hpp"
#include "data/image_set.hpp"
#include "error.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace opencd::data {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 100'000'000;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// A folder's entries by name; hidden ones are left out.
std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error))
    if (!it->path().filename().native().starts_with('.')) entries.push_back(it->path());
  if (error) fail<FormatError>("[folder] {}: {}", display_name(folder), error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Gathers pictures below folders. A link back to a folder that is being walked, or was, is not
/// followed: every folder has one device and inode.
class Walk {
 public:
  Walk(const fs::path& root, PictureFolder& found) : root_(root), found_(found) {}

  /// Adds the pictures below `folder` to `part` and returns how many there were.
  std::size_t add(const fs::path& folder, std::int32_t label, PictureFiles& part) {
    std::vector<fs::path> files;
    gather(folder, files);
    // torchvision's order: by the folder's path as text, then by name.
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
      const fs::path folder_a = a.parent_path();
      const fs::path folder_b = b.parent_path();
      return std::tie(folder_a.native(), a.native()) < std::tie(folder_b.native(), b.native());
    });
    const std::size_t before = part.size();
    for (const fs::path& file : files) add_file(file, label, part);
    return part.size() - before;
  }

 private:
  void gather(const fs::path& folder, std::vector<fs::path>& files) {
    struct stat status{};
    if (::stat(folder.c_str(), &status) != 0 ||
        !visited_.insert({status.st_dev, status.st_ino}).second)
      return;
    std::vector<fs::path> entries;
    try {
      entries = sorted_entries(folder);
    } catch (const FormatError& error) {
      found_.left_out.emplace_back(error.what());
    }
    for (const fs::path& entry : entries) {
      if (is_folder(entry)) {
        gather(entry, files);
      } else if (is_picture_name(entry)) {
        files.push_back(entry);
      }
    }
  }

  void add_file(const fs::path& file, std::int32_t label, PictureFiles& part) {
    std::string path = file.lexically_relative(root_).generic_string();
    if (!is_clean_text(path)) {
      found_.left_out.push_back(display_text(path) + ": the name is not clean UTF-8 text");
      return;
    }
    if (part.size() == kMaxFiles)
      fail<FormatError>("[folder] {}: more than {} pictures", display_name(root_), kMaxFiles);
    part.files.push_back(file);
    part.paths.push_back(std::move(path));
    part.labels.push_back(label);
  }

  fs::path root_;
  PictureFolder& found_;
  std::set<std::pair<dev_t, ino_t>> visited_;
};

std::vector<fs::path> class_folders(const fs::path& folder) {
  std::vector<fs::path> folders = sorted_entries(folder);
  std::erase_if(folders, [](const fs::path& entry) { return !is_folder(entry); });
  return folders;
}

std::string class_name(const fs::path& folder) {
  std::string name = folder.filename().string();
  if (!is_clean_text(name))
    fail<FormatError>("[folder] {}: expected a class name in UTF-8 without control characters",
                      display_name(folder));
  return name;
}

/// The folders of the classes that are named, in their order.
std::vector<fs::path> named_folders(const fs::path& part_root,
                                    const std::vector<std::string>& classes,
                                    bool held_out) {
  std::vector<fs::path> folders;
  for (const std::string& name : classes) {
    if (is_folder(part_root / name))
      folders.push_back(part_root / name);
    else if (!held_out)
      fail<FormatError>("[folder] {}: expected a folder of class {}, which the class list names",
                        display_name(part_root), name);
  }
  return folders;
}

/// One class a folder. The held-out part may lack classes but bring none of its own.
void add_classes(Walk& walk,
                 const fs::path& part_root,
                 const std::vector<fs::path>& folders,
                 PictureFolder& found,
                 PictureFiles& part,
                 bool held_out) {
  for (const fs::path& folder : folders) {
    const std::string name = class_name(folder);
    auto at = std::find(found.class_names.begin(), found.class_names.end(), name);
    if (held_out && at == found.class_names.end())
      fail<FormatError>("[folder] {}: class {} has no training pictures", display_name(part_root),
                        name);
    if (!held_out) at = found.class_names.insert(at, name);
    const auto label = static_cast<std::int32_t>(at - found.class_names.begin());
    if (walk.add(folder, label, part) == 0)
      fail<FormatError>("[folder] {}: expected at least one .jpg, .jpeg or .png in the class",
                        display_name(folder));
  }
}

}  // namespace

bool is_picture_name(const fs::path& path) {
  const std::string ending = lower_case(path.extension().string());
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

PictureFolder find_pictures(const fs::path& root, const std::vector<std::string>& classes) {
  PictureFolder found;
  Walk walk(root, found);
  const bool parted = is_folder(root / "train");
  const fs::path train = parted ? root / "train" : root;
  const auto folders_of = [&](const fs::path& part, bool held_out) {
    return classes.empty() ? class_folders(part) : named_folders(part, classes, held_out);
  };
  if (const std::vector<fs::path> folders = folders_of(train, false); folders.empty()) {
    walk.add(train, kNoLabel, found.train);
  } else {
    add_classes(walk, train, folders, found, found.train, false);
  }
  if (parted)
    for (const char* name : {"val", "test"})
      if (is_folder(root / name)) {
        add_classes(walk, root / name, folders_of(root / name, true), found, found.test, true);
        break;
      }
  if (found.train.size() == 0)
    fail<FormatError>("[folder] {}: expected pictures in class folders (root/class/*.jpg)",
                      display_name(root));
  return found;
}

PictureFolder find_all_pictures(const fs::path& root) {
  PictureFolder found;
  Walk(root, found).add(root, kNoLabel, found.train);
  if (found.train.size() == 0)
    fail<FormatError>("[folder] {}: expected a .jpg, .jpeg or .png somewhere below it",
                      display_name(root));
  return found;
}

}  // namespace opencd::data
