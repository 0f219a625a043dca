#include "cli/data_options.hpp"

#include "cli/output.hpp"
#include "data/split_file.hpp"
#include "error.hpp"
#include "files/cache_folder.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace opencd::cli {

namespace {

data::DataOptions to_options(const DataArguments& arguments) {
  data::DataOptions options;
  options.format = data::parse_data_format(arguments.format);
  options.rgb = !arguments.grey;
  options.labels = arguments.labels;
  options.limit = arguments.limit;
  options.folder.size = arguments.image_size;
  options.folder.class_list = arguments.class_list;
  options.folder.strict = arguments.strict;
  if (arguments.cache) {
    options.folder.cache_folder = files::user_cache("pixels");
    if (options.folder.cache_folder.empty())
      throw UsageError("--cache: neither XDG_CACHE_HOME nor HOME says where caches go");
  }
  return options;
}

}  // namespace

void log_left_out(const std::vector<std::string>& left_out) {
  constexpr std::size_t kNamed = 20;
  if (left_out.empty()) return;
  spdlog::warn("{} broken pictures were left out", left_out.size());
  for (std::size_t i = 0; i < std::min(kNamed, left_out.size()); ++i)
    spdlog::warn("  {}", printable(left_out[i]));
  if (left_out.size() > kNamed) spdlog::warn("  and {} more", left_out.size() - kNamed);
}

void add_data_options(CLI::App& verb, DataArguments& arguments) {
  verb.add_option("DATA", arguments.data,
                  "A folder of CIFAR binaries, IDX files or pictures (root/[train/]class/*.jpg), a "
                  ".npy or .npz file, fashion-mnist, or synthetic[:classes=10,per-class=500,"
                  "size=16,seed=0]")
      ->required();
  add_reading_options(verb, arguments);
}

void add_reading_options(CLI::App& verb, DataArguments& arguments) {
  const std::string group = "Data";
  verb.add_option("--format", arguments.format, "auto | cifar | idx | folder | array")
      ->capture_default_str()
      ->group(group);
  verb.add_flag("--grey", arguments.grey, "Keep grey pictures at one channel")->group(group);
  verb.add_option("--labels", arguments.labels,
                  "Labels of some rows (CSV path,label or row,label; .npy with -1 for none)")
      ->group(group);
  verb.add_option("--limit", arguments.limit, "Use the first N training rows")->group(group);
  verb.add_option("--image-size", arguments.image_size,
                  "Pixels a side of a folder's pictures (default: their median, at most 224)")
      ->group(group);
  verb.add_option("--class-list", arguments.class_list,
                  "Take these classes of a folder alone, in this order: a file with a name a line")
      ->group(group);
  verb.add_flag("--strict", arguments.strict, "Refuse a folder for one broken picture")
      ->group(group);
  verb.add_flag("--cache", arguments.cache, "Keep decoded pictures in the user's cache")
      ->group(group);
}

void add_split_options(CLI::App& verb, SplitArguments& arguments) {
  const std::string group = "Split";
  auto* known = verb.add_option("--known", arguments.known, "Known classes (default: half of them)")
                    ->check(CLI::PositiveNumber)
                    ->group(group);
  auto* ratio = verb.add_option("--labeled-ratio", arguments.labeled_ratio,
                                "Share of their rows that is labelled")
                    ->check(CLI::Range(0.0, 1.0))
                    ->capture_default_str()
                    ->group(group);
  auto* names = verb.add_option("--known-classes", arguments.known_classes,
                                "Names of the known classes, in order: a,b,c")
                    ->delimiter(',')
                    ->excludes(known)
                    ->group(group);
  verb.add_option("--splits", arguments.splits, "Use this splits.json again")
      ->excludes(known)
      ->excludes(ratio)
      ->excludes(names)
      ->group(group);
}

data::ImageSet open_data(const DataArguments& arguments) {
  data::ImageSet set = data::open_data_set(arguments.data, to_options(arguments));
  log_left_out(set.left_out);
  return set;
}

data::OpenWorldSplit open_split(const SplitArguments& arguments, const data::ImageSet& set) {
  if (!arguments.splits.empty()) return data::read_split(arguments.splits, set);
  return data::open_world_split(set, {.known = arguments.known,
                                      .labeled_ratio = arguments.labeled_ratio,
                                      .known_classes = arguments.known_classes});
}

}  // namespace opencd::cli
