#include "data/cifar.hpp"

#include "data/class_names.hpp"
#include "data/file.hpp"
#include "error.hpp"

#include <utility>
#include <vector>

namespace opencd::data {

namespace {

constexpr const char* kTrain10[] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                    "data_batch_4.bin", "data_batch_5.bin"};
constexpr const char* kTest10[] = {"test_batch.bin"};
constexpr const char* kTrain100[] = {"train.bin"};
constexpr const char* kTest100[] = {"test.bin"};

struct CifarFiles {
  CifarKind kind;
  const char* name;
  std::span<const char* const> train;
  std::span<const char* const> test;
  const char* class_names;
  std::size_t classes;
};

constexpr CifarFiles kCifar10{CifarKind::cifar10, "cifar-10", kTrain10, kTest10,
                              "batches.meta.txt", 10};
constexpr CifarFiles kCifar100{CifarKind::cifar100,    "cifar-100", kTrain100, kTest100,
                               "fine_label_names.txt", 100};

constexpr const CifarFiles& files_of(CifarKind kind) {
  return kind == CifarKind::cifar10 ? kCifar10 : kCifar100;
}

/// The file keeps the three channels apart; a row keeps the three bytes of a pixel together.
void interleave_channels(const std::uint8_t* planes, std::uint8_t* row) {
  const std::size_t area = kCifarShape.height * kCifarShape.width;
  for (std::size_t pixel = 0; pixel < area; ++pixel)
    for (std::size_t channel = 0; channel < 3; ++channel)
      row[pixel * 3 + channel] = planes[channel * area + pixel];
}

ImageRows read_part(const std::filesystem::path& folder,
                    std::span<const char* const> files,
                    CifarKind kind) {
  std::vector<std::uint8_t> pixels;
  ImageRows part;
  std::size_t records = 0;  // in the first file
  for (const char* file : files) {
    const std::filesystem::path path = folder / file;
    const ImageRows rows = parse_cifar(read_file(path), kind, display_name(path));
    if (records == 0) records = rows.size();
    if (rows.size() != records)
      fail<FormatError>("[cifar] {}: {} records, expected {} as in {}", display_name(path),
                        rows.size(), records, files.front());
    const auto bytes = rows.pixels.view();
    pixels.reserve(bytes.size() * files.size());
    pixels.insert(pixels.end(), bytes.begin(), bytes.end());
    part.labels.insert(part.labels.end(), rows.labels.begin(), rows.labels.end());
  }
  part.pixels = Bytes(std::move(pixels));
  return part;
}

}  // namespace

ImageRows parse_cifar(std::span<const std::uint8_t> file, CifarKind kind, const std::string& name) {
  const std::size_t label_bytes = kind == CifarKind::cifar10 ? 1 : 2;
  const std::size_t record = label_bytes + kCifarShape.size();
  if (file.empty() || file.size() % record != 0)
    fail<FormatError>(
        "[cifar] {}: {} bytes, expected a whole number of records of {} bytes; "
        "the last one ends at byte {}",
        name, file.size(), record, file.size() / record * record);
  const std::size_t rows = file.size() / record;
  const std::size_t classes = files_of(kind).classes;
  std::vector<std::uint8_t> pixels(rows * kCifarShape.size());
  ImageRows part;
  part.labels.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t label_at = row * record + label_bytes - 1;
    if (file[label_at] >= classes)
      fail<FormatError>("[cifar] {}, byte {}: expected a label below {}, got {}", name, label_at,
                        classes, file[label_at]);
    part.labels.push_back(file[label_at]);
    interleave_channels(&file[label_at + 1], &pixels[row * kCifarShape.size()]);
  }
  part.pixels = Bytes(std::move(pixels));
  return part;
}

bool is_cifar_folder(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "data_batch_1.bin") ||
         std::filesystem::exists(folder / "train.bin");
}

ImageSet read_cifar(const std::filesystem::path& folder) {
  const bool cifar10 = std::filesystem::exists(folder / "data_batch_1.bin");
  const CifarFiles& files = files_of(cifar10 ? CifarKind::cifar10 : CifarKind::cifar100);
  ImageSet set;
  set.name = files.name;
  set.kind = "cifar";
  set.shape = kCifarShape;
  set.train = read_part(folder, files.train, files.kind);
  set.test = read_part(folder, files.test, files.kind);
  if (set.train.size() != 5 * set.test.size())
    fail<FormatError>("[cifar] {}: {} training and {} test records, expected five times as many",
                      display_name(folder), set.train.size(), set.test.size());
  set.class_names = read_class_names(folder / files.class_names, files.classes);
  return finish_image_set(std::move(set));
}

}  // namespace opencd::data
