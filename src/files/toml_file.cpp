#include "files/toml_file.hpp"

#include "error.hpp"
#include "files/input_file.hpp"
#include "files/printable.hpp"

// The library's text output and its own error streams are not needed.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>

namespace opencd::files {

namespace {
constexpr std::size_t kMostBytes = std::size_t{1} << 20u;

std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

/// A value as one would type it on the command line.
std::string to_text(const toml::node& node,
                    const std::string& key,
                    const std::filesystem::path& file) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  fail<FormatError>(
      "[config] {}, line {}: {} is a table, a date or a list in a list; expected a text, a number, "
      "true, false or a list of these",
      in_quotes(file.native()), line_of(node), in_quotes(key));
}

TomlEntry to_entry(const std::string& key,
                   const toml::node& node,
                   const std::filesystem::path& file) {
  TomlEntry entry{key, {}, line_of(node)};
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& value : *list) entry.values.push_back(to_text(value, key, file));
  } else {
    entry.values.push_back(to_text(node, key, file));
  }
  return entry;
}
}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, const std::filesystem::path& file) {
  if (text.size() > kMostBytes)
    fail<FormatError>("[config] {} has {} bytes, expected at most {}", in_quotes(file.native()),
                      text.size(), kMostBytes);
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail<FormatError>("[config] {}, line {}: {}", in_quotes(file.native()),
                      error.source().begin.line, printable(error.description(), 300));
  }
  std::vector<TomlEntry> entries;
  for (const auto& [key, node] : table)
    entries.push_back(to_entry(std::string(key.str()), node, file));
  std::stable_sort(entries.begin(), entries.end(),
                   [](const TomlEntry& a, const TomlEntry& b) { return a.line < b.line; });
  return entries;
}

std::vector<TomlEntry> read_toml_file(const std::filesystem::path& file) {
  return parse_toml(read_text_file(file, kMostBytes), file);
}

std::string toml_string(std::string_view text) {
  std::string shown = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      shown += std::string{'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      shown += fmt::format("\\u{:04x}", byte);
    else
      shown += c;
  }
  return shown + '"';
}

}  // namespace opencd::files
