#include "data/array_set.hpp"

#include "data/class_names.hpp"
#include "data/content_hash.hpp"
#include "data/file.hpp"
#include "data/npy.hpp"
#include "error.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace opencd::data {

namespace {

/// The arrays of a file by the part they play; null where there is none.
struct Parts {
  NpyArchive arrays;
  const NpyArray* train = nullptr;
  const NpyArray* train_labels = nullptr;
  const NpyArray* test = nullptr;
  const NpyArray* test_labels = nullptr;
};

const NpyArray* find(const NpyArchive& arrays, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto found = arrays.find(name); found != arrays.end()) return &found->second;
  return nullptr;
}

Parts read_parts(const std::filesystem::path& path) {
  Parts parts;
  if (path.extension() == ".npy") {
    parts.arrays.emplace("x", read_npy(path));
  } else {
    parts.arrays = read_npz(path);
  }
  const NpyArchive& arrays = parts.arrays;
  parts.train = find(arrays, {"x", "x_train", "images", "features", "data", "arr_0"});
  parts.train_labels = find(arrays, {"y", "y_train", "labels", "targets", "arr_1"});
  parts.test = find(arrays, {"x_test"});
  parts.test_labels = find(arrays, {"y_test"});
  if (!parts.train)
    fail<FormatError>(
        "[npz] {}: expected an array called x, x_train, images, features, data or "
        "arr_0",
        display_name(path));
  return parts;
}

std::vector<std::int32_t> labels_for(const NpyArray* labels, const NpyArray& rows) {
  const std::size_t count = rows.shape.at(0);
  if (!labels) return std::vector<std::int32_t>(count, kNoLabel);
  std::vector<std::int32_t> values = to_labels(*labels);
  if (values.size() != count)
    fail<FormatError>("[npy] {}: expected {} labels, got {}", labels->name, count, values.size());
  return values;
}

bool is_channel_count(std::size_t extent) { return extent == 1 || extent == 3; }

std::vector<std::uint8_t> planes_to_pixels(std::span<const std::uint8_t> src,
                                           const ImageShape& shape) {
  std::vector<std::uint8_t> dst(src.size());
  const std::size_t area = shape.height * shape.width;
  for (std::size_t i = 0; i < src.size(); ++i) {
    const std::size_t row = i / shape.size();
    const std::size_t channel = i % shape.size() / area;
    dst[row * shape.size() + i % area * shape.channels + channel] = src[i];
  }
  return dst;
}

ImageRows image_rows(const NpyArray& array, const NpyArray* labels, bool rgb, ImageShape& shape) {
  const auto& extents = array.shape;
  const bool grey = extents.size() == 3;
  const bool pixels_last = extents.size() == 4 && is_channel_count(extents[3]);
  const bool planes = !pixels_last && extents.size() == 4 && is_channel_count(extents[1]);
  if (array.type != NpyType::u8 || !(grey || pixels_last || planes))
    fail<FormatError>(
        "[npy] {}: expected pictures as unsigned bytes of shape (rows, height, "
        "width[, 1 or 3]) or (rows, 1 or 3, height, width), got {} {}",
        array.name, array.shape_text(), array.type == NpyType::u8 ? "bytes" : "of another type");
  shape = grey          ? ImageShape{extents[1], extents[2], 1}
          : pixels_last ? ImageShape{extents[1], extents[2], extents[3]}
                        : ImageShape{extents[2], extents[3], extents[1]};
  if (shape.size() == 0 || extents[0] == 0)
    fail<FormatError>("[npy] {}: no pixels in shape {}", array.name, array.shape_text());
  ImageRows rows;
  rows.labels = labels_for(labels, array);
  rows.pixels = planes && shape.channels > 1 ? Bytes(planes_to_pixels(array.bytes.view(), shape))
                                             : array.bytes;
  if (rgb && shape.channels == 1) {
    rows.pixels = Bytes(repeat_channel(rows.pixels.view()));
    shape.channels = 3;
  }
  return rows;
}

}  // namespace

bool is_array_file(const std::filesystem::path& path) {
  return path.extension() == ".npy" || path.extension() == ".npz";
}

bool holds_features(const std::filesystem::path& path) {
  return read_parts(path).train->shape.size() == 2;
}

ImageSet read_image_arrays(const std::filesystem::path& path, bool rgb) {
  const Parts parts = read_parts(path);
  ImageSet set;
  set.name = display_name(path.stem());
  set.kind = "array";
  set.train = image_rows(*parts.train, parts.train_labels, rgb, set.shape);
  if (parts.test) {
    ImageShape shape;
    set.test = image_rows(*parts.test, parts.test_labels, rgb, shape);
    if (shape != set.shape)
      fail<FormatError>("[npz] {}: shape {} does not fit the training rows {}", parts.test->name,
                        parts.test->shape_text(), parts.train->shape_text());
  }
  set.class_names = classes_of(set.train.labels, set.test.labels);
  return finish_image_set(std::move(set));
}

FeatureSet read_features(const std::filesystem::path& path) {
  const Parts parts = read_parts(path);
  const NpyArray& array = *parts.train;
  if (array.shape.size() != 2 || array.elements() == 0)
    fail<FormatError>("[npy] {}: expected features of shape (rows, columns), got {}", array.name,
                      array.shape_text());
  FeatureSet set;
  set.name = display_name(path.stem());
  set.rows = array.shape[0];
  set.columns = array.shape[1];
  set.values = to_floats(array);
  if (parts.train_labels) set.labels = labels_for(parts.train_labels, array);
  ContentHash hash;
  hash.add_text("opencd_sycl feature set 1");
  hash.add_number(set.rows);
  hash.add_number(set.columns);
  hash.add({reinterpret_cast<const std::uint8_t*>(set.values.data()), set.values.size() * 4});
  for (const std::int32_t label : set.labels) hash.add_number(static_cast<std::uint32_t>(label));
  set.hash = hash.text();
  return set;
}

}  // namespace opencd::data
