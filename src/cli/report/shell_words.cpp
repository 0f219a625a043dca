#include "cli/report/shell_words.hpp"

#include <algorithm>
#include <string_view>

namespace opencd::cli::report {

namespace {

bool is_plain(char c) {
  constexpr std::string_view kSigns = "-_./=,:@%+~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kSigns.find(c) != std::string_view::npos;
}

std::string quoted_word(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string shell_command(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted_word(word);
  return text;
}

}  // namespace opencd::cli::report
