// The CSV form of labels files: two columns, quoted cells allowed.
#include "data/file.hpp"
#include "data/labels_file.hpp"
#include "error.hpp"

#include <set>
#include <utility>

namespace opencd::data {

namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view tag, const std::string& name)
      : text_(text), tag_(tag), name_(name) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  bool at_end() const { return at_ == text_.size(); }
  std::size_t line() const { return line_; }

  std::pair<std::string, std::string> two_cells() {
    std::string first = cell();
    if (at_end() || text_[at_] != ',') refuse("two cells with a comma between them");
    ++at_;
    std::string second = cell();
    if (!at_end() && text_[at_] == '\r') ++at_;
    if (!at_end() && text_[at_] != '\n') refuse("the end of the line after two cells");
    return {std::move(first), std::move(second)};
  }

  /// Steps over the line's end, and over lines that are empty.
  void next_line() {
    while (!at_end() && (text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n")) {
      at_ += text_[at_] == '\n' ? 1 : 2;
      ++line_;
    }
  }

  [[noreturn]] void refuse(const char* expected) const {
    fail<FormatError>("[{}] {}, line {}: expected {}", tag_, name_, line_, expected);
  }

 private:
  std::string cell() {
    std::string value = !at_end() && text_[at_] == '"' ? quoted() : plain();
    if (value.empty() || !is_clean_text(value)) refuse("text in UTF-8 in every cell");
    return value;
  }
  std::string plain() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(",\r\n\"", at_), text_.size());
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string quoted() {
    std::string value;
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        if (at_end() || text_[at_] != '"') return value;
      }
      value += text_[at_];
    }
    refuse("a closing quote");
  }

  std::string_view text_;
  std::string_view tag_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<LabelLine> parse_labels_csv(std::string_view text,
                                        std::string_view key_column,
                                        const std::string& name) {
  return parse_two_columns(text, {.tag = "labels", .key = key_column, .value = "label"}, name);
}

std::vector<LabelLine> parse_two_columns(std::string_view text,
                                         const CsvColumns& columns,
                                         const std::string& name) {
  CsvReader reader(text, columns.tag, name);
  if (reader.at_end() ||
      reader.two_cells() != std::pair<std::string, std::string>(columns.key, columns.value))
    fail<FormatError>("[{}] {}, line 1: expected the header {},{}", columns.tag, name, columns.key,
                      columns.value);
  std::vector<LabelLine> lines;
  std::set<std::string> seen;
  for (reader.next_line(); !reader.at_end(); reader.next_line()) {
    const std::size_t line = reader.line();
    auto [key, label] = reader.two_cells();
    if (!seen.insert(key).second)
      fail<FormatError>("[{}] {}, line {}: {} is there twice", columns.tag, name, line, key);
    lines.push_back({line, std::move(key), std::move(label)});
  }
  return lines;
}

}  // namespace opencd::data
