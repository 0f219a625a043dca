#include "cli/report/markup.hpp"

#include "data/file.hpp"

#include <fmt/format.h>

#include <cmath>

namespace opencd::cli::report {

namespace {

std::string opening(std::string_view name, const Attributes& attributes) {
  std::string html = fmt::format("<{}", name);
  for (const Attribute& attribute : attributes)
    html += fmt::format(" {}=\"{}\"", attribute.name, escaped(attribute.value));
  return html + ">";
}

}  // namespace

Markup plain_table(const Markup& head, const Markup& body) {
  return tag("div", {{"class", "wide"}},
             tag("table", {{"class", "plain"}},
                 tag("thead", {}, tag("tr", {}, head)) + tag("tbody", {}, body)));
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : data::display_text(text)) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

Markup::Markup(std::string_view text) : html_(escaped(text)) {}

Markup Markup::raw(std::string html) {
  Markup markup;
  markup.html_ = std::move(html);
  return markup;
}

Markup tag(std::string_view name, const Attributes& attributes, const Markup& content) {
  return Markup::raw(fmt::format("{}{}</{}>", opening(name, attributes), content.html(), name));
}

Markup void_tag(std::string_view name, const Attributes& attributes) {
  return Markup::raw(opening(name, attributes));
}

std::string decimal(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.1f}", 100.0 * fraction) : "–";
}

}  // namespace opencd::cli::report
