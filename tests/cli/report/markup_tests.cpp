#include "cli/report/markup.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace opencd::test {

using namespace cli::report;

TEST_SUITE_BEGIN("cli/report/markup");

TEST_CASE("text never becomes a tag") {
  CHECK_EQ(Markup("<script>alert('1' & \"2\")</script>").html(),
           "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
  CHECK_EQ(tag("td", {{"title", "\"><b>"}}, "<i>").html(),
           "<td title=\"&quot;&gt;&lt;b&gt;\">&lt;i&gt;</td>");
}

TEST_CASE("control characters and bytes that are no text are shown, not obeyed") {
  CHECK_EQ(Markup("a\x1b[31m\nb").html(), "a\\x1b[31m\\x0ab");
  CHECK_EQ(Markup("\xff").html(), "\\xff");
  CHECK_EQ(Markup("grün – ☃").html(), "grün – ☃");
}

TEST_CASE("tags nest and are escaped once") {
  const Markup inner = tag("b", {}, "1 < 2") + Markup(" & ") + void_tag("br", {});
  CHECK_EQ(tag("p", {{"class", "x"}, {"id", "y"}}, inner).html(),
           "<p class=\"x\" id=\"y\"><b>1 &lt; 2</b> &amp; <br></p>");
}

TEST_CASE("numbers are short") {
  CHECK_EQ(decimal(12.0), "12");
  CHECK_EQ(decimal(0.25), "0.2");
  CHECK_EQ(decimal(-0.01), "0");
  CHECK_EQ(decimal(3.14159, 3), "3.142");
  CHECK_EQ(decimal(100.0, 0), "100");
  CHECK_EQ(percent(0.9314), "93.1");
  CHECK_EQ(percent(NAN), "–");
}

TEST_SUITE_END();

}  // namespace opencd::test
