#include "data/idx.hpp"

#include "data/class_names.hpp"
#include "data/expansion.hpp"
#include "data/file.hpp"
#include "error.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace opencd::data {

namespace {

/// Bytes that come from memory as they are or through gzip, with their place for messages.
class IdxSource {
 public:
  IdxSource(std::span<const std::uint8_t> file, const std::string& name) : file_(file) {
    if (GzipReader::is_gzip(file)) gzip_ = std::make_unique<GzipReader>(file, name);
  }

  std::size_t read(std::span<std::uint8_t> dst) {
    if (gzip_) return gzip_->read(dst);
    const std::size_t count = std::min(dst.size(), file_.size() - position_);
    std::copy_n(file_.begin() + static_cast<std::ptrdiff_t>(position_), count, dst.begin());
    position_ += count;
    return count;
  }

  /// Refuses a header whose promise the file cannot keep, before memory is asked for.
  void check_promise(std::size_t header, std::size_t elements, const std::string& name) const {
    if (gzip_) {
      check_expansion(file_.size(), elements, name);
    } else if (file_.size() - header != elements) {
      fail<FormatError>("[idx] {}: {} bytes after the header of {}, expected {}", name,
                        file_.size() - header, header, elements);
    }
  }

 private:
  std::span<const std::uint8_t> file_;
  std::size_t position_ = 0;
  std::unique_ptr<GzipReader> gzip_;
};

std::vector<std::size_t> read_shape(IdxSource& source, const std::string& name) {
  constexpr std::uint8_t kUnsignedByte = 0x08;
  constexpr std::size_t kMaxDimensions = 4;
  std::uint8_t magic[4];
  if (source.read(magic) != 4) fail<FormatError>("[idx] {}: shorter than a header", name);
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != kUnsignedByte)
    fail<FormatError>("[idx] {}, byte 0: expected 00 00 08, got {:02x} {:02x} {:02x}", name,
                      magic[0], magic[1], magic[2]);
  if (magic[3] < 1 || magic[3] > kMaxDimensions)
    fail<FormatError>("[idx] {}, byte 3: expected 1 to {} dimensions, got {}", name, kMaxDimensions,
                      magic[3]);
  std::vector<std::size_t> shape;
  for (int i = 0; i < magic[3]; ++i) {
    std::uint8_t bytes[4];
    if (source.read(bytes) != 4) fail<FormatError>("[idx] {}: ends inside its header", name);
    std::size_t extent = 0;
    for (const std::uint8_t byte : bytes) extent = extent << 8 | byte;
    shape.push_back(extent);
  }
  return shape;
}

std::size_t product(const std::vector<std::size_t>& shape, const std::string& name) {
  std::size_t elements = 1;
  for (const std::size_t extent : shape)
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMaxFileBytes)
      fail<FormatError>("[idx] {}, byte 4: the dimensions multiply to more than {}", name,
                        kMaxFileBytes);
  return elements;
}

/// The files of one part of a set.
struct Pair {
  std::filesystem::path images;
  std::filesystem::path labels;
};

/// All pairs in the folder, in order of their names. Labels are found by their image file's name.
std::vector<Pair> find_pairs(const std::filesystem::path& folder) {
  std::vector<Pair> pairs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    const std::size_t at = name.find("images");
    if (at == std::string::npos || name.find("idx3") == std::string::npos) continue;
    name.replace(at, 6, "labels");
    name.replace(name.find("idx3"), 4, "idx1");
    // One of the two may be packed and the other not.
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    for (const char* ending : {"", ".gz"})
      if (const auto labels = folder / (name + ending); std::filesystem::exists(labels)) {
        pairs.push_back({entry.path(), labels});
        break;
      }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.images < b.images; });
  return pairs;
}

const Pair* pair_of(const std::vector<Pair>& pairs, std::initializer_list<std::string_view> words) {
  for (const Pair& pair : pairs)
    for (const std::string_view word : words)
      if (pair.images.filename().string().find(word) != std::string::npos) return &pair;
  return nullptr;
}

ImageRows read_pair(const Pair& pair, bool rgb, ImageShape& shape) {
  IdxArray images = parse_idx(read_file(pair.images), display_name(pair.images));
  const IdxArray labels = parse_idx(read_file(pair.labels), display_name(pair.labels));
  if (images.shape.size() != 3)
    fail<FormatError>("[idx] {}: expected rows x height x width, got {} dimensions",
                      display_name(pair.images), images.shape.size());
  if (labels.shape.size() != 1 || labels.shape[0] != images.shape[0])
    fail<FormatError>("[idx] {}: expected {} labels, got {}", display_name(pair.labels),
                      images.shape[0], labels.values.size());
  const ImageShape found{images.shape[1], images.shape[2], rgb ? 3u : 1u};
  if (found.size() == 0)
    fail<FormatError>("[idx] {}: pictures of {} x {} pixels", display_name(pair.images),
                      found.height, found.width);
  if (shape.size() != 0 && shape != found)
    fail<FormatError>("[idx] {}: pictures of {} x {}, but {} x {} in the training rows",
                      display_name(pair.images), found.height, found.width, shape.height,
                      shape.width);
  shape = found;
  ImageRows rows;
  rows.labels.assign(labels.values.begin(), labels.values.end());
  rows.pixels = Bytes(rgb ? repeat_channel(images.values) : std::move(images.values));
  return rows;
}

}  // namespace

IdxArray parse_idx(std::span<const std::uint8_t> file, const std::string& name) {
  IdxSource source(file, name);
  IdxArray array;
  array.shape = read_shape(source, name);
  const std::size_t elements = product(array.shape, name);
  source.check_promise(4 + 4 * array.shape.size(), elements, name);
  array.values.resize(elements);
  const std::size_t got = source.read(array.values);
  std::uint8_t beyond[1];
  if (got != elements || source.read(beyond) != 0)
    fail<FormatError>("[idx] {}: expected {} elements, got {}", name, elements,
                      got == elements ? "more" : std::to_string(got));
  return array;
}

bool is_idx_folder(const std::filesystem::path& folder) { return !find_pairs(folder).empty(); }

ImageSet read_idx(const std::filesystem::path& folder,
                  bool rgb,
                  std::span<const std::string_view> names) {
  const std::vector<Pair> pairs = find_pairs(folder);
  const Pair* train = pair_of(pairs, {"train"});
  const Pair* test = pair_of(pairs, {"t10k", "test"});
  if (!train && !test)
    fail<FormatError>("[idx] {}: expected train-images-idx3-ubyte and train-labels-idx1-ubyte",
                      display_name(folder));
  if (!train) std::swap(train, test);
  ImageSet set;
  set.name = display_name(folder.filename());
  set.kind = "idx";
  set.shape = {0, 0, 0};
  set.train = read_pair(*train, rgb, set.shape);
  if (test) set.test = read_pair(*test, rgb, set.shape);
  set.class_names = classes_of(set.train.labels, set.test.labels);
  if (names.size() == set.class_names.size()) set.class_names.assign(names.begin(), names.end());
  return finish_image_set(std::move(set));
}

}  // namespace opencd::data
