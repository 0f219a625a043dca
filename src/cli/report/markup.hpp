// HTML that is safe by construction: a string becomes Markup only by being escaped, and tags are made
// of names, attributes and Markup. So no label, file name or class name can end up as a tag.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opencd::cli::report {

class Markup {
 public:
  Markup() = default;
  // Not explicit: plain text may be given wherever Markup is wanted, and is escaped there.
  Markup(std::string_view text);
  Markup(const std::string& text) : Markup(std::string_view(text)) {}
  Markup(const char* text) : Markup(std::string_view(text)) {}

  /// Text that is HTML already: of this program alone, never from a file of a run.
  static Markup raw(std::string html);

  const std::string& html() const { return html_; }
  bool empty() const { return html_.empty(); }
  Markup& operator+=(const Markup& more) {
    html_ += more.html_;
    return *this;
  }

 private:
  std::string html_;
};

inline Markup operator+(Markup left, const Markup& right) { return left += right; }

struct Attribute {
  std::string_view name;
  std::string value;
};
using Attributes = std::vector<Attribute>;

/// <name attributes>content</name>
Markup tag(std::string_view name, const Attributes& attributes, const Markup& content = {});
/// <name attributes>, for elements without an end: img, input, meta.
Markup void_tag(std::string_view name, const Attributes& attributes);

/// A table of one line of heads and the lines of `body`, which scrolls by itself where it is too wide.
Markup plain_table(const Markup& head, const Markup& body);

/// Text as it may stand between tags and in quoted attributes. Control characters and bytes that are
/// not UTF-8 are shown as \xNN.
std::string escaped(std::string_view text);

/// A number as coordinates are written: at most `digits` places, no zeros at the end.
std::string decimal(double value, int digits = 1);

/// "93.1"; a dash where there is no number.
std::string percent(double fraction);

}  // namespace opencd::cli::report
