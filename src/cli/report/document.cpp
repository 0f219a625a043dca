#include "cli/report/document.hpp"

#include "cli/report/assets.hpp"
#include "error.hpp"
#include "files/base64.hpp"
#include "files/input_file.hpp"
#include "files/printable.hpp"
#include "files/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace opencd::cli::report {

namespace {

/// Every page begins so, and nothing else does.
constexpr std::string_view kBeginning =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"generator\" content=\"opencd_sycl report\">\n";

/// 'sha256-...', as a content policy names an inline script or style.
std::string policy_hash(std::string_view text) {
  const std::string digits = files::sha256(text);
  std::vector<std::uint8_t> bytes(digits.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    std::from_chars(&digits[2 * i], &digits[2 * i] + 2, bytes[i], 16);
  return fmt::format("'sha256-{}'", files::base64(bytes));
}

std::string policy() {
  return fmt::format(
      "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; "
      "form-action 'none'",
      policy_hash(style_sheet()), policy_hash(script()));
}

}  // namespace

std::string to_html(const Document& document) {
  std::string html(kBeginning);
  const auto line = [&](const Markup& markup) { html += markup.html() + "\n"; };
  line(void_tag("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy()}}));
  line(
      void_tag("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}));
  line(void_tag("meta", {{"name", "color-scheme"}, {"content", "light dark"}}));
  line(tag("title", {}, document.title));
  line(tag("style", {}, Markup::raw(std::string(style_sheet()))));
  html += "</head>\n<body>\n";
  Markup links;
  for (const Section& section : document.sections)
    links += tag("a", {{"href", "#" + section.id}}, section.title);
  line(tag("header", {{"class", "top"}},
           tag("h1", {}, document.title) + document.header + tag("nav", {}, links)));
  html += "<main>\n";
  for (const Section& section : document.sections)
    line(tag("section", {{"id", section.id}}, tag("h2", {}, section.title) + section.content));
  html += "</main>\n";
  line(tag("script", {}, Markup::raw(std::string(script()))));
  return html + "</body>\n</html>\n";
}

void require_own_page(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
  const files::InputFile input(file);
  std::string beginning(std::min<std::uint64_t>(input.size(), kBeginning.size()), '\0');
  input.read_at(0, std::as_writable_bytes(std::span(beginning)));
  if (beginning != kBeginning)
    fail<UsageError>("[report] {} is there and is no report; choose another file with -o",
                     files::in_quotes(file.string()));
}

}  // namespace opencd::cli::report
