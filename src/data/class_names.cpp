#include "data/class_names.hpp"

#include "data/file.hpp"
#include "error.hpp"
#include "files/input_file.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace opencd::data {

std::vector<std::string> numbered_classes(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = std::to_string(i);
  return names;
}

std::vector<std::string> classes_of(std::span<const std::int32_t> train_labels,
                                    std::span<const std::int32_t> test_labels) {
  std::int32_t largest = -1;
  for (const auto labels : {train_labels, test_labels})
    for (const std::int32_t label : labels) largest = std::max(largest, label);
  if (largest >= kMaxClasses)
    fail<FormatError>("[labels] expected class numbers below {}, got {}", kMaxClasses, largest);
  return numbered_classes(static_cast<std::size_t>(largest) + 1);
}

std::vector<std::string> read_class_names(const std::filesystem::path& path, std::size_t count) {
  if (!std::filesystem::exists(path)) return numbered_classes(count);
  constexpr std::size_t kMaxBytes = 1 << 20;
  const std::string text = files::read_text_file(path, kMaxBytes);
  std::vector<std::string> names;
  std::set<std::string> seen;
  std::string_view rest = text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    std::string_view name = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    if (name.ends_with('\r')) name.remove_suffix(1);
    if (name.empty()) continue;
    if (!is_clean_text(name))
      fail<FormatError>("[class names] {}, line {}: expected a name in UTF-8, got {}",
                        display_name(path), line, display_text(name));
    if (!seen.emplace(name).second)
      fail<FormatError>("[class names] {}, line {}: {} is there twice", display_name(path), line,
                        name);
    names.emplace_back(name);
  }
  if (names.size() != count)
    fail<FormatError>("[class names] {}: expected {} names, got {}", display_name(path), count,
                      names.size());
  return names;
}

}  // namespace opencd::data
