#include "data/image_set.hpp"

#include "data/content_hash.hpp"
#include "error.hpp"

#include <utility>

namespace opencd::data {

namespace {

void check_rows(const ImageSet& set, const ImageRows& rows, const char* part) {
  if (rows.pixels.size() != rows.size() * set.shape.size())
    fail<FormatError>("[data] {}: {} {} rows need {} bytes of pixels, got {}", set.name,
                      rows.size(), part, rows.size() * set.shape.size(), rows.pixels.size());
  if (!rows.paths.empty() && rows.paths.size() != rows.size())
    fail<FormatError>("[data] {}: {} paths for {} {} rows", set.name, rows.paths.size(),
                      rows.size(), part);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::int32_t label = rows.labels[row];
    if (label < kNoLabel || (label >= 0 && std::cmp_greater_equal(label, set.class_names.size())))
      fail<FormatError>("[data] {}: {} row {}: expected a label below {}, got {}", set.name, part,
                        row, set.class_names.size(), label);
  }
}

void hash_rows(ContentHash& hash, const ImageRows& rows) {
  hash.add_number(rows.size());
  for (const std::int32_t label : rows.labels) hash.add_number(static_cast<std::uint32_t>(label));
  hash.add(rows.pixels.view());
}

std::string content_hash(const ImageSet& set) {
  ContentHash hash;
  hash.add_text("opencd_sycl image set 1");
  hash.add_number(set.shape.height);
  hash.add_number(set.shape.width);
  hash.add_number(set.shape.channels);
  hash.add_number(set.class_names.size());
  for (const std::string& name : set.class_names) hash.add_text(name);
  hash_rows(hash, set.train);
  hash_rows(hash, set.test);
  return hash.text();
}

}  // namespace

Bytes::Bytes(std::vector<std::uint8_t> values) {
  auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(values));
  view_ = *owner;
  owner_ = std::move(owner);
}

ImageSet finish_image_set(ImageSet set) {
  if (set.train.size() == 0) fail<FormatError>("[data] {}: no training rows", set.name);
  if (set.train.size() > UINT32_MAX)
    fail<FormatError>("[data] {}: {} rows are more than row numbers of 32 bits", set.name,
                      set.train.size());
  check_rows(set, set.train, "training");
  check_rows(set, set.test, "held-out");
  set.hash = content_hash(set);
  return set;
}

ImageSet limit_train_rows(ImageSet set, std::size_t count) {
  if (count >= set.train.size()) return set;
  set.train.pixels = set.train.pixels.first(count * set.shape.size());
  set.train.labels.resize(count);
  if (!set.train.paths.empty()) set.train.paths.resize(count);
  if (set.given_rows) std::erase_if(*set.given_rows, [&](auto row) { return row >= count; });
  return finish_image_set(std::move(set));
}

std::vector<std::uint8_t> repeat_channel(std::span<const std::uint8_t> grey) {
  std::vector<std::uint8_t> rgb(grey.size() * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = grey[i / 3];
  return rgb;
}

std::vector<std::size_t> rows_per_class(std::span<const std::int32_t> labels, std::size_t classes) {
  std::vector<std::size_t> counts(classes, 0);
  for (const std::int32_t label : labels)
    if (label >= 0 && std::cmp_less(label, classes)) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

}  // namespace opencd::data
