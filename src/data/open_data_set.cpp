#include "data/open_data_set.hpp"

#include "data/array_set.hpp"
#include "data/cifar.hpp"
#include "data/file.hpp"
#include "data/idx.hpp"
#include "data/labels_file.hpp"
#include "data/synthetic.hpp"
#include "error.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace opencd::data {

namespace {

constexpr const char* kFashionMnist = "/usr/share/datasets/fashion-mnist";

/// The files hold numbers; these are the names that the set's authors give.
constexpr std::array<std::string_view, 10> kFashionClasses = {
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

std::filesystem::path resolve(const std::string& data) {
  if (data != "fashion-mnist" || std::filesystem::exists(data)) return data;
  if (!std::filesystem::exists(kFashionMnist))
    fail<FormatError>("[data] fashion-mnist: expected it in {}; install dataset-fashion-mnist",
                      kFashionMnist);
  return kFashionMnist;
}

DataFormat find_format(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    fail<FormatError>("[data] {}: no such file or folder", display_name(path));
  if (!std::filesystem::is_directory(status)) {
    if (is_array_file(path)) return DataFormat::array;
    fail<FormatError>("[data] {}: expected a folder or a .npy or .npz file", display_name(path));
  }
  if (is_cifar_folder(path)) return DataFormat::cifar;
  if (is_idx_folder(path)) return DataFormat::idx;
  if (std::filesystem::exists(path / "data_batch_1") || std::filesystem::exists(path / "meta"))
    fail<FormatError>(
        "[data] {}: CIFAR as Python pickles, which are never read; fetch the binary version "
        "(cifar-10-binary.tar.gz or cifar-100-binary.tar.gz)",
        display_name(path));
  return DataFormat::folder;
}

ImageSet read(const std::filesystem::path& path, const DataOptions& options) {
  const DataFormat format =
      options.format == DataFormat::automatic ? find_format(path) : options.format;
  switch (format) {
    case DataFormat::cifar: return read_cifar(path);
    case DataFormat::idx:
      return path == kFashionMnist ? read_idx(path, options.rgb, kFashionClasses)
                                   : read_idx(path, options.rgb);
    case DataFormat::array: return read_image_arrays(path, options.rgb);
    default: return read_image_folder(path, options.folder);
  }
}

}  // namespace

DataFormat parse_data_format(std::string_view name) {
  constexpr std::pair<std::string_view, DataFormat> kFormats[] = {
      {"auto", DataFormat::automatic}, {"cifar", DataFormat::cifar}, {"idx", DataFormat::idx},
      {"folder", DataFormat::folder},  {"array", DataFormat::array},
  };
  for (const auto& [known, format] : kFormats)
    if (known == name) return format;
  fail<UsageError>("[data] expected the format auto, cifar, idx, folder or array, got {}", name);
}

ImageSet open_data_set(const std::string& data, const DataOptions& options) {
  ImageSet set =
      is_synthetic(data) ? make_synthetic(parse_synthetic(data)) : read(resolve(data), options);
  if (!options.folder.class_list.empty() && set.kind != "folder")
    fail<UsageError>("[data] {}: a class list is for folders of pictures, and this is none",
                     set.name);
  if (!options.labels.empty()) set = apply_labels_file(std::move(set), options.labels);
  if (options.limit > 0) set = limit_train_rows(std::move(set), options.limit);
  return set;
}

}  // namespace opencd::data
