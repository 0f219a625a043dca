// The whole page of a run from its files, with names that would like to be more than text.
#include "cli/report/run_page.hpp"

#include "cli/report/assets.hpp"
#include "cli/report/confusion.hpp"
#include "cli/report/run_files.hpp"
#include "data/synthetic.hpp"
#include "error.hpp"
#include "support/message.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace opencd::test {

using namespace cli::report;

namespace {

RunExtras extras_of(const data::ImageSet& set) {
  RunExtras extras{.set = &set, .sheet_pictures = 2, .takes_names = true};
  FeatureMap map;
  for (const std::uint32_t row : {3, 4, 5, 6, 7, 8})
    map.rows.push_back({0.1 * row, 1.0 - row, row, row < 5 ? 0 : row < 8 ? 1 : 2});
  map.prototypes = {{0.0, 0.0, 0, 0}, {1.0, 1.0, 1, 1}};
  map.pictures = picture_tiles(set, std::vector<std::uint32_t>{3, 4, 5, 6, 7, 8}, 8, 4);
  extras.map = map;
  extras.typicalities = {{3, 0.5}, {5, 0.01}, {6, 0.04}, {7, 0.002}};
  return extras;
}

std::vector<std::string> ids_of(const std::string& html) {
  const std::string mark = " id=\"";
  std::vector<std::string> ids;
  for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    ids.push_back(html.substr(begin, html.find('"', begin) - begin));
  }
  return ids;
}

}  // namespace

TEST_SUITE_BEGIN("cli/report/run_page");

TEST_CASE("hostile names stay text, and nothing is loaded from anywhere") {
  const TemporaryFolder folder;
  const data::ImageSet set = data::make_synthetic({.classes = 2, .per_class = 10, .size = 8});
  const RunRecord run = read_run_record(write_run(folder, "run"));
  const std::string html = to_html(run_page(run, extras_of(set)));
  CHECK_EQ(count_of(html, "<script"), 2);  // the data of the map and ours
  CHECK_FALSE(contains(html, kEvilClass));
  CHECK_CONTAINS(html, "&lt;script&gt;alert(1)&lt;/script&gt;");
  CHECK_CONTAINS(html, "\\u003cscript>alert(1)\\u003c/script>");
  CHECK_FALSE(contains(html, "\x1b"));
  CHECK_FALSE(contains(html, "<b>.png"));
  CHECK_FALSE(contains(html, "http:"));
  CHECK_FALSE(contains(html, "https:"));
  CHECK_FALSE(contains(html, " style="));  // the policy would not let it in
  CHECK_CONTAINS(html, "default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-");
  CHECK_CONTAINS(html, std::string(style_sheet()));
  CHECK_CONTAINS(html, std::string(script()));
}

TEST_CASE("the page has scores, groups, map, confusion, classes, curves and the command") {
  const TemporaryFolder folder;
  const data::ImageSet set = data::make_synthetic({.classes = 2, .per_class = 10, .size = 8});
  const std::string html =
      to_html(run_page(read_run_record(write_run(folder, "run")), extras_of(set)));
  for (const char* id :
       {"scores", "groups", "map", "confusion", "classes", "learning", "configuration"})
    CHECK_CONTAINS(html, std::string("<section id=\"") + id + "\">");
  const std::vector<std::string> ids = ids_of(html);
  CHECK_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
  CHECK_CONTAINS(html, "interval 2 to 4; 3 in truth");
  CHECK_CONTAINS(html, "id=\"name-1\"");
  CHECK_FALSE(contains(html, "id=\"name-0\""));         // a known class has its name
  CHECK_CONTAINS(html, "value=\"=a, &quot;b&quot;\"");  // a name that was given
  CHECK_CONTAINS(html, "data:image/png;base64,");
  CHECK_CONTAINS(html, "opencd_sycl train &#39;my pictures&#39;");
  CHECK_CONTAINS(html, "a &lt;device&gt;");
}

TEST_CASE("without data, classes or evaluation the page says so") {
  const TemporaryFolder folder;
  RunRecord run = read_run_record(write_run(folder, "run"));
  const RunExtras gone{.no_map = "No map, because.", .no_pictures = "No pictures, because."};
  const std::string bare = to_html(run_page(run, gone));
  CHECK_CONTAINS(bare, "No map, because.");
  CHECK_CONTAINS(bare, "No pictures, because.");
  CHECK_FALSE(contains(bare, "data:image"));
  CHECK_FALSE(contains(bare, "id=\"name-1\""));
  CHECK_FALSE(contains(bare, "id=\"export-names\""));
  run.classes.clear();
  for (RowRecord& row : run.rows) row.cls = -1;
  run.summary->erase("orca");
  const std::string unlabelled = to_html(run_page(run, gone));
  CHECK_CONTAINS(unlabelled, "nobody knows their classes");
  CHECK_FALSE(contains(unlabelled, "id=\"confusion\""));
  run.summary.reset();
  run.groups.clear();
  CHECK_CONTAINS(to_html(run_page(run, gone)), "has not been evaluated");
}

TEST_CASE("rows of a group are chosen by likeness, margin and typicality") {
  const TemporaryFolder folder;
  const RunRecord run = read_run_record(write_run(folder, "run"));
  const auto rows = group_rows(run, {{5, 0.01}, {6, 0.04}, {7, 0.002}, {8, 0.9}}, 2);
  CHECK_EQ(rows.at(1).typical, std::vector<std::size_t>{3, 4});
  CHECK_EQ(rows.at(1).uncertain, std::vector<std::size_t>{3, 4});
  CHECK_EQ(rows.at(1).none, std::vector<std::size_t>{4, 2});
  CHECK(rows.at(2).none.empty());
  CHECK_EQ(rows.at(0).typical, std::vector<std::size_t>{1, 0});
}

TEST_CASE("matched groups lie on the diagonal and counts are those of the rows") {
  const TemporaryFolder folder;
  RunRecord run = read_run_record(write_run(folder, "run"));
  std::swap(run.classes[1].group, run.classes[2].group);
  CHECK_EQ(matched_order(run), std::vector<std::int32_t>{0, 2, 1});
  const auto counts = classes_of_groups(run);
  CHECK_EQ(counts.at(1).at(1), 2);
  CHECK_EQ(counts.at(1).at(2), 1);
  CHECK_CONTAINS(heat_map(run).html(), "in group 1: 2 rows, 66.7 % of the class");
}

TEST_CASE("tiles are in order, of the size that was asked for, and stay small") {
  const data::ImageSet set = data::make_synthetic({.classes = 2, .per_class = 10, .size = 16});
  const PictureTiles tiles = picture_tiles(set, std::vector<std::uint32_t>{0, 1, 2}, 8, 2);
  CHECK_EQ(tiles.cell, 8);
  CHECK_EQ(tiles.columns, 2);
  CHECK_EQ(tiles.count, 3);
  CHECK(tiles.address.starts_with("data:image/png;base64,iVBORw0KGgo"));
  CHECK_EQ(picture_tiles(set, {}, 8, 2).count, 0);
  CHECK_EQ(thumbnail_cell({32, 32, 3}, 100), 32);
  CHECK_EQ(thumbnail_cell({32, 32, 3}, 2000), 25);
  CHECK_EQ(thumbnail_cell({224, 224, 3}, 20000), 12);
  CHECK_EQ(thumbnail_cell({8, 8, 3}, 10), 8);
}

TEST_CASE("only a page of ours is overwritten") {
  const TemporaryFolder folder;
  require_own_page(folder / "new.html");
  folder.put("old.html", to_html({.title = "x", .header = {}, .sections = {}}));
  require_own_page(folder / "old.html");
  for (const char* text : {"", "<!DOCTYPE html>\n<html lang=\"en\">\n", "my thesis"}) {
    folder.put("other.html", text);
    CHECK_CONTAINS(message_of<UsageError>([&] { require_own_page(folder / "other.html"); }),
                   "is no report");
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
