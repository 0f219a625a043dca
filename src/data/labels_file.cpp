#include "data/labels_file.hpp"

#include "data/class_names.hpp"
#include "data/file.hpp"
#include "data/npy.hpp"
#include "error.hpp"
#include "files/input_file.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace opencd::data {

namespace {

constexpr std::size_t kMaxCsvBytes = std::size_t{1} << 30;

std::int64_t whole_number(const std::string& text, const LabelLine& line, const std::string& name) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end)
    fail<FormatError>("[labels] {}, line {}: expected a whole number, got {}", name, line.line,
                      text);
  return value;
}

using Numbers = std::map<std::string, std::int32_t, std::less<>>;

Numbers numbers_of(const std::vector<std::string>& class_names) {
  Numbers numbers;
  for (std::size_t i = 0; i < class_names.size(); ++i)
    numbers.emplace(class_names[i], static_cast<std::int32_t>(i));
  return numbers;
}

/// Decides whose classes hold (see the header) and brings the set in line with it.
void settle_classes(ImageSet& set, const std::vector<LabelLine>& lines, const std::string& name) {
  const Numbers numbers = numbers_of(set.class_names);
  const auto known = [&](const LabelLine& line) { return numbers.contains(line.label); };
  if (std::all_of(lines.begin(), lines.end(), known)) return;
  if (std::any_of(lines.begin(), lines.end(), known)) {
    const auto stranger = std::find_if_not(lines.begin(), lines.end(), known);
    fail<FormatError>("[labels] {}, line {}: {} is not a class of {}, though other labels are",
                      name, stranger->line, stranger->label, set.name);
  }
  std::set<std::string> names;
  for (const LabelLine& line : lines) names.insert(line.label);
  set.class_names.assign(names.begin(), names.end());
  std::fill(set.train.labels.begin(), set.train.labels.end(), kNoLabel);
  std::fill(set.test.labels.begin(), set.test.labels.end(), kNoLabel);
}

void label_pictures(ImageSet& set, const std::filesystem::path& path) {
  const std::string name = display_name(path);
  const std::vector<LabelLine> lines =
      parse_labels_csv(files::read_text_file(path, kMaxCsvBytes), "path", name);
  settle_classes(set, lines, name);
  const Numbers numbers = numbers_of(set.class_names);
  std::map<std::string_view, std::uint32_t> rows;
  for (std::uint32_t row = 0; row < set.train.size(); ++row)
    rows.emplace(set.train.paths[row], row);
  for (const LabelLine& line : lines) {
    const auto found = rows.find(line.key);
    if (found == rows.end())
      fail<FormatError>("[labels] {}, line {}: {} is not a training picture of {}", name, line.line,
                        line.key, set.name);
    std::int32_t& label = set.train.labels[found->second];
    const std::int32_t given = numbers.at(line.label);
    if (label != kNoLabel && label != given)
      fail<FormatError>("[labels] {}, line {}: {} is labelled {} but lies in the folder of {}",
                        name, line.line, line.key, line.label,
                        set.class_names[static_cast<std::size_t>(label)]);
    label = given;
    set.given_rows->push_back(found->second);
  }
  std::sort(set.given_rows->begin(), set.given_rows->end());
}

void label_array_rows(ImageSet& set, const std::filesystem::path& path) {
  const std::vector<std::int32_t> labels = read_row_labels(path, set.train.size());
  for (std::uint32_t row = 0; row < labels.size(); ++row) {
    if (labels[row] == kNoLabel) continue;
    set.train.labels[row] = labels[row];
    set.given_rows->push_back(row);
  }
  set.class_names = classes_of(set.train.labels, set.test.labels);
}

}  // namespace

std::vector<std::int32_t> read_row_labels(const std::filesystem::path& path, std::size_t rows) {
  const std::string name = display_name(path);
  if (path.extension() == ".npy") {
    std::vector<std::int32_t> labels = to_labels(read_npy(path));
    if (labels.size() != rows)
      fail<FormatError>("[labels] {}: expected {} labels, got {}", name, rows, labels.size());
    return labels;
  }
  std::vector<std::int32_t> labels(rows, kNoLabel);
  for (const LabelLine& line :
       parse_labels_csv(files::read_text_file(path, kMaxCsvBytes), "row", name)) {
    const std::int64_t row = whole_number(line.key, line, name);
    const std::int64_t label = whole_number(line.label, line, name);
    if (row < 0 || std::cmp_greater_equal(row, rows))
      fail<FormatError>("[labels] {}, line {}: expected a row below {}, got {}", name, line.line,
                        rows, row);
    if (label < kNoLabel || label >= kMaxClasses)
      fail<FormatError>("[labels] {}, line {}: expected a class number below {}, got {}", name,
                        line.line, kMaxClasses, label);
    labels[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(label);
  }
  return labels;
}

ImageSet apply_labels_file(ImageSet set, const std::filesystem::path& path) {
  set.given_rows.emplace();
  if (set.train.paths.empty()) {
    label_array_rows(set, path);
  } else {
    label_pictures(set, path);
  }
  if (set.given_rows->empty())
    fail<FormatError>("[labels] {}: no row is labelled", display_name(path));
  return finish_image_set(std::move(set));
}

}  // namespace opencd::data
