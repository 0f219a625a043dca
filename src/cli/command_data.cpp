// `data`: what a data set holds and how it is split.
#include "cli/commands.hpp"
#include "cli/data_options.hpp"
#include "cli/output.hpp"
#include "data/array_set.hpp"
#include "data/split_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace opencd::cli {

namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  CommonOptions common;
  DataArguments data;
};

struct SplitOptions {
  CommonOptions common;
  DataArguments data;
  SplitArguments split;
  std::string out;
};

std::size_t without_label(const data::ImageRows& rows) {
  return static_cast<std::size_t>(
      std::count(rows.labels.begin(), rows.labels.end(), data::kNoLabel));
}

Json set_json(const data::ImageSet& set) {
  const std::size_t count = set.class_names.size();
  const auto train = data::rows_per_class(set.train.labels, count);
  const auto test = data::rows_per_class(set.test.labels, count);
  Json classes = Json::array();
  for (std::size_t i = 0; i < count; ++i)
    classes.push_back({{"name", set.class_names[i]}, {"rows", train[i]}, {"test_rows", test[i]}});
  return {{"name", set.name},
          {"kind", set.kind},
          {"shape", {set.shape.height, set.shape.width, set.shape.channels}},
          {"rows", set.train.size()},
          {"test_rows", set.test.size()},
          {"rows_without_label", without_label(set.train)},
          {"classes", classes},
          {"left_out", set.left_out},
          {"hash", set.hash}};
}

void print_info(const data::ImageSet& set) {
  print_line(fmt::format("{} ({}): {} training rows, {} held out, {} x {} pixels, {} channels",
                         set.name, set.kind, set.train.size(), set.test.size(), set.shape.height,
                         set.shape.width, set.shape.channels));
  print_line(set.hash);
  const std::size_t count = set.class_names.size();
  const auto train = data::rows_per_class(set.train.labels, count);
  const auto test = data::rows_per_class(set.test.labels, count);
  std::vector<std::vector<std::string>> rows;
  rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back({std::to_string(i), printable(set.class_names[i]), std::to_string(train[i]),
                    std::to_string(test[i])});
  if (!rows.empty()) print_table({"class", "name", "rows", "held out"}, rows);
  if (const std::size_t unknown = without_label(set.train); unknown > 0)
    print_line(fmt::format("{} training rows have no label", unknown));
}

int show_features(const InfoOptions& options) {
  const data::FeatureSet set = data::read_features(options.data.data);
  if (options.common.json) {
    print_json({{"name", set.name},
                {"kind", "features"},
                {"rows", set.rows},
                {"columns", set.columns},
                {"labels", !set.labels.empty()},
                {"hash", set.hash}});
  } else {
    print_line(fmt::format("{} (features): {} rows of {} columns, {} labels", set.name, set.rows,
                           set.columns, set.labels.empty() ? "without" : "with"));
    print_line(set.hash);
  }
  return 0;
}

int show_info(const InfoOptions& options) {
  if (data::is_array_file(options.data.data) && data::holds_features(options.data.data))
    return show_features(options);
  const data::ImageSet set = open_data(options.data);
  if (options.common.json) {
    print_json(set_json(set));
  } else {
    print_info(set);
  }
  return 0;
}

void print_split(const data::OpenWorldSplit& split, const data::ImageSet& set) {
  std::vector<std::string> names;
  for (const std::int32_t label : split.known_classes())
    names.push_back(printable(set.class_names[static_cast<std::size_t>(label)]));
  print_line(fmt::format("{}: {} rows = {} labelled + {} unlabelled", set.name, split.rows,
                         split.labeled.size(), split.unlabeled.size()));
  print_line(fmt::format("known   {} of {} classes: {}", split.known, split.class_order.size(),
                         fmt::join(names, ", ")));
  print_line(split.hash());
}

int show_split(const SplitOptions& options) {
  const data::ImageSet set = open_data(options.data);
  const data::OpenWorldSplit split = open_split(options.split, set);
  if (!options.out.empty()) {
    std::filesystem::create_directories(options.out);
    data::write_split(split, std::filesystem::path(options.out) / "splits.json");
  }
  if (options.common.json) {
    const auto known = split.known_classes();
    print_json({{"rows", split.rows},
                {"labeled", split.labeled.size()},
                {"unlabeled", split.unlabeled.size()},
                {"known_classes", std::vector<std::int32_t>(known.begin(), known.end())},
                {"hash", split.hash()}});
  } else {
    print_split(split, set);
  }
  return 0;
}

void add_info(CLI::App& data, Action& action) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* verb = data.add_subcommand("info", "What a data set holds");
  add_data_options(*verb, options->data);
  define_verb(*verb, options->common, action, [options] { return show_info(*options); });
  verb->footer("Example: opencd_sycl data info cifar-10-batches-bin");
}

void add_split(CLI::App& data, Action& action) {
  auto options = std::make_shared<SplitOptions>();
  CLI::App* verb = data.add_subcommand("split", "Which training rows come with their label");
  add_data_options(*verb, options->data);
  add_split_options(*verb, options->split);
  verb->add_option("-o,--out", options->out, "Write splits.json into this folder");
  define_verb(*verb, options->common, action, [options] { return show_split(*options); });
  verb->footer(
      "Example: opencd_sycl data split cifar-10-batches-bin --known 5 --labeled-ratio 0.1 -o .");
}

}  // namespace

void add_data_command(CLI::App& app, Action& action) {
  CLI::App* data = app.add_subcommand("data", "Look at data sets and how they are split");
  data->require_subcommand(1);
  data->footer("Example: opencd_sycl data info fashion-mnist");
  add_info(*data, action);
  add_split(*data, action);
  add_data_show_command(*data, action);
}

}  // namespace opencd::cli
