#include "data/split_file.hpp"

#include "data/class_names.hpp"
#include "data/file.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/input_file.hpp"
#include "files/strict_json.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace opencd::data {

namespace {

constexpr const char* kFormat = "opencd_sycl splits 1";
constexpr std::size_t kMaxSplitBytes = std::size_t{1} << 30;
constexpr files::JsonLimits kLimits{
    .bytes = kMaxSplitBytes, .depth = 2, .values = std::size_t{1} << 26};

using nlohmann::json;

class Fields {
 public:
  Fields(const json& object, const std::string& name) : object_(object), name_(name) {
    static constexpr const char* kKeys[] = {"format",      "data_hash", "rows", "known",
                                            "class_order", "labeled",   "hash"};
    if (!object.is_object() || object.size() != std::size(kKeys)) refuse("an object of seven keys");
    for (const char* key : kKeys)
      if (!object.contains(key)) refuse(key);
  }

  std::string text(const char* key) const {
    if (!object_[key].is_string()) refuse(key);
    return object_[key].get<std::string>();
  }
  std::size_t number(const char* key, std::size_t limit) const {
    return checked(object_[key], key, limit);
  }
  template <class T>
  std::vector<T> numbers(const char* key, std::size_t limit) const {
    const json& array = object_[key];
    if (!array.is_array() || array.size() > limit) refuse(key);
    std::vector<T> values;
    values.reserve(array.size());
    for (const json& element : array)
      values.push_back(static_cast<T>(checked(element, key, limit - 1)));
    return values;
  }
  [[noreturn]] void refuse(const char* what) const {
    fail<FormatError>("[splits] {}: expected {}", name_, what);
  }

 private:
  std::size_t checked(const json& value, const char* key, std::size_t limit) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > limit)
      fail<FormatError>("[splits] {}: {}: expected whole numbers up to {}", name_, key, limit);
    return value.get<std::size_t>();
  }

  const json& object_;
  const std::string& name_;
};

bool is_permutation_of_classes(std::vector<std::int32_t> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (!std::cmp_equal(order[i], i)) return false;
  return true;
}

}  // namespace

std::string split_to_json(const OpenWorldSplit& split) {
  nlohmann::ordered_json object;
  object["format"] = kFormat;
  object["data_hash"] = split.data_hash;
  object["rows"] = split.rows;
  object["known"] = split.known;
  object["class_order"] = split.class_order;
  object["labeled"] = split.labeled;
  object["hash"] = split.hash();
  return object.dump() + "\n";
}

OpenWorldSplit parse_split(std::string_view text, const std::string& name) {
  const json object = files::parse_json(text, name, kLimits);
  const Fields fields(object, name);
  if (fields.text("format") != kFormat) fields.refuse(kFormat);
  OpenWorldSplit split;
  split.data_hash = fields.text("data_hash");
  split.rows = fields.number("rows", UINT32_MAX);
  split.class_order = fields.numbers<std::int32_t>("class_order", kMaxClasses);
  split.known = fields.number("known", split.class_order.size());
  if (split.rows == 0) fields.refuse("at least one row");
  split.labeled = fields.numbers<std::uint32_t>("labeled", split.rows);
  if (!is_permutation_of_classes(split.class_order)) fields.refuse("every class once");
  if (std::adjacent_find(split.labeled.begin(), split.labeled.end(), std::greater_equal<>()) !=
      split.labeled.end())
    fields.refuse("labelled rows in ascending order, each once");
  if (fields.text("hash") != split.hash()) fields.refuse("content that fits the hash");
  return split;
}

void write_split(const OpenWorldSplit& split, const std::filesystem::path& path) {
  files::write_file(path, split_to_json(split));
}

OpenWorldSplit read_split(const std::filesystem::path& path, const ImageSet& set) {
  const std::string name = display_name(path);
  OpenWorldSplit split = parse_split(files::read_text_file(path, kMaxSplitBytes), name);
  if (split.data_hash != set.hash || split.rows != set.train.size() ||
      split.class_order.size() != set.class_names.size())
    fail<FormatError>("[splits] {}: made for other data: {} there, {} in {}", name, split.data_hash,
                      set.hash, set.name);
  const std::vector<std::int32_t> places = class_places(split, set.train.labels);
  for (const std::uint32_t row : split.labeled)
    if (places[row] < 0 || std::cmp_greater_equal(places[row], split.known))
      fail<FormatError>("[splits] {}: row {} is labelled, but its class is not known", name, row);
  split.unlabeled = other_rows(split.labeled, split.rows);
  return split;
}

}  // namespace opencd::data
