#include "cli/report/group_sheets.hpp"

#include "cli/report/colours.hpp"
#include "cli/report/confusion.hpp"
#include "cli/report/picture_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opencd::cli::report {

namespace {

constexpr std::size_t kCell = 64;         // pixels that a picture is kept at
constexpr std::size_t kShownCell = 60;    // and the most it is shown at
constexpr std::size_t kNamedClasses = 4;  // below a bar

std::string row_title(const RunRecord& run, const RowRecord& row) {
  std::string title = row.path.empty() ? fmt::format("row {}", row.row) : row.path;
  if (row.cls >= 0) title += ", " + run.classes[static_cast<std::size_t>(row.cls)].name;
  return title + fmt::format(", confidence {:.2f}, margin {:.2f}", row.confidence, row.margin);
}

/// Pictures side by side, with room for as many in every strip; those of another class than most of
/// the group are marked.
Markup strip(const RunRecord& run,
             const data::ImageSet& set,
             const std::vector<std::size_t>& places,
             std::size_t room,
             std::int32_t main_class) {
  std::vector<std::uint32_t> rows;
  for (const std::size_t place : places)
    if (run.rows[place].row < set.train.size()) rows.push_back(run.rows[place].row);
  const PictureTiles tiles = picture_tiles(set, rows, kCell, rows.size());
  const auto side = std::to_string(tiles.cell), width = std::to_string(tiles.cell * rows.size());
  Markup marks = tag("image", {{"href", tiles.address}, {"width", width}, {"height", side}});
  std::size_t left = 0;
  for (const std::size_t place : places) {
    const RowRecord& row = run.rows[place];
    if (row.row >= set.train.size()) continue;
    const std::string x = std::to_string(left);
    left += tiles.cell;
    if (row.cls >= 0 && main_class >= 0 && row.cls != main_class)
      marks += tag("rect", {{"class", "other"},
                            {"x", x},
                            {"y", decimal(0.92 * static_cast<double>(tiles.cell))},
                            {"width", side},
                            {"height", decimal(0.08 * static_cast<double>(tiles.cell))}});
    marks += tag("rect", {{"class", "cell"}, {"x", x}, {"width", side}, {"height", side}},
                 tag("title", {}, row_title(run, row)));
  }
  return tag("svg",
             {{"class", "strip"},
              {"viewBox", fmt::format("0 0 {} {}", tiles.cell * room, side)},
              {"width", std::to_string(kShownCell * room)},
              {"role", "img"}},
             marks);
}

struct ClassShare {
  std::int32_t cls;
  std::size_t rows;
};

std::vector<ClassShare> shares(const ClassCounts& counts) {
  std::vector<ClassShare> list;
  for (const auto& [cls, rows] : counts) list.push_back({cls, rows});
  std::stable_sort(list.begin(), list.end(),
                   [](const ClassShare& a, const ClassShare& b) { return a.rows > b.rows; });
  return list;
}

/// A bar cut into the true classes of a group, and the largest of them in words.
Markup composition(const RunRecord& run, const std::vector<ClassShare>& list) {
  std::size_t all = 0;
  for (const ClassShare& share : list) all += share.rows;
  if (all == 0) return {};
  Markup marks, words;
  double left = 0.0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto place = static_cast<std::size_t>(list[i].cls);
    const double part = static_cast<double>(list[i].rows) / static_cast<double>(all);
    const std::string said = fmt::format("{} {} %", run.classes[place].name, percent(part));
    marks += tag("rect",
                 {{"class", colour_class(place)},
                  {"x", decimal(left * 400, 2)},
                  {"width", decimal(part * 400, 2)},
                  {"height", "10"}},
                 tag("title", {}, fmt::format("{}: {} rows", said, list[i].rows)));
    left += part;
    if (i < kNamedClasses)
      words += tag("li", {}, tag("i", {{"class", "swatch " + colour_class(place)}}) + said);
  }
  if (list.size() > kNamedClasses)
    words += tag("li", {}, fmt::format("{} more", list.size() - kNamedClasses));
  return tag("svg",
             {{"class", "composition"},
              {"viewBox", "0 0 400 10"},
              {"preserveAspectRatio", "none"},
              {"role", "img"},
              {"aria-label", "true classes of the group"}},
             marks) +
         tag("ul", {{"class", "legend"}}, words);
}

Markup strips(const RunRecord& run,
              const GroupRows& rows,
              const SheetOptions& options,
              std::int32_t main_class) {
  Markup list;
  const auto add = [&](const char* title, const std::string& why,
                       const std::vector<std::size_t>& places) {
    list += tag("dt", {{"title", why}}, title);
    list += tag("dd", {},
                places.empty() ? tag("span", {{"class", "note"}}, "no row")
                               : strip(run, *options.set, places, options.pictures, main_class));
  };
  add("most typical", "most like what the group was learned from", rows.typical);
  add("least certain", "another group is almost as likely", rows.uncertain);
  if (options.sampled > 0)
    add("none of these",
        fmt::format("unlike all training rows, by the calibration; of {} rows looked at",
                    options.sampled),
        rows.none);
  return tag("dl", {{"class", "strips"}}, list);
}

Markup name_field(const GroupRecord& group) {
  const std::string id = fmt::format("name-{}", group.group);
  return tag("p", {{"class", "naming"}},
             tag("label", {{"for", id}}, "Name") +
                 void_tag("input", {{"type", "text"},
                                    {"id", id},
                                    {"data-group", std::to_string(group.group)},
                                    {"value", group.named ? group.name : ""},
                                    {"placeholder", "what is this?"},
                                    {"autocomplete", "off"},
                                    {"spellcheck", "false"}}));
}

Markup sheet(const RunRecord& run,
             const GroupRecord& group,
             const ClassCounts& classes,
             const GroupRows& rows,
             double confidence,
             const SheetOptions& options) {
  const std::vector<ClassShare> list = shares(classes);
  Markup title = tag("i", {{"class", "swatch " + colour_class(group_colour(run, group.group))}});
  title += group.name;
  Markup content = tag("h3", {}, title);
  content += tag("span", {{"class", group.known ? "tag known" : "tag novel"}},
                 group.known ? "known class" : "discovered");
  const double share = static_cast<double>(group.rows) /
                       static_cast<double>(std::max<std::size_t>(run.rows.size(), 1));
  content += tag("p", {{"class", "facts"}},
                 fmt::format("group {} · {} rows · {} % of all · mean confidence {:.2f}",
                             group.group, group.rows, percent(share), confidence));
  content += composition(run, list);
  if (options.set && options.pictures > 0 && group.rows > 0)
    content += strips(run, rows, options, list.empty() ? -1 : list.front().cls);
  if (options.takes_names && !group.known) content += name_field(group);
  return tag("article", {{"class", "sheet"}, {"id", fmt::format("group-{}", group.group)}},
             content);
}

}  // namespace

Markup group_sheets(const RunRecord& run,
                    const Typicalities& typicalities,
                    const SheetOptions& options) {
  const auto rows = group_rows(run, typicalities, options.pictures);
  const auto classes = classes_of_groups(run);
  std::map<std::int32_t, double> confidence;
  for (const RowRecord& row : run.rows) confidence[row.group] += row.confidence;
  Markup sheets;
  const auto of = [](const auto& map, std::int32_t group) {
    const auto found = map.find(group);
    return found == map.end() ? typename std::decay_t<decltype(map)>::mapped_type{} : found->second;
  };
  for (const std::int32_t number : matched_order(run)) {
    const GroupRecord& group = *run.group(number);
    const double mean =
        of(confidence, number) / static_cast<double>(std::max<std::size_t>(group.rows, 1));
    sheets += sheet(run, group, of(classes, number), of(rows, number), mean, options);
  }
  return tag("div", {{"class", "sheets"}}, sheets);
}

}  // namespace opencd::cli::report
