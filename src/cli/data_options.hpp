// DATA on the command line: what every verb that reads a data set takes, and how it is opened.
#pragma once

#include "cli/options.hpp"
#include "data/open_data_set.hpp"
#include "data/open_world_split.hpp"

#include <string>

namespace opencd::cli {

struct DataArguments {
  std::string data;
  std::string format = "auto";
  bool grey = false;
  std::string labels;
  std::size_t limit = 0;
  std::size_t image_size = 0;
  std::string class_list;
  bool strict = false;
  bool cache = false;
};

/// The split of the training rows into labelled and unlabelled ones.
struct SplitArguments {
  std::size_t known = 0;
  double labeled_ratio = 0.1;
  std::vector<std::string> known_classes;
  std::string splits;  // a splits.json to use in place of all of these
};

void add_data_options(CLI::App& verb, DataArguments& arguments);
/// The same without DATA itself, for verbs that can do without.
void add_reading_options(CLI::App& verb, DataArguments& arguments);
void add_split_options(CLI::App& verb, SplitArguments& arguments);

/// Names broken pictures in the log: "path: reason".
void log_left_out(const std::vector<std::string>& left_out);

/// Opens the set; pictures that had to be left out are named in the log.
data::ImageSet open_data(const DataArguments& arguments);

/// The split that the arguments ask for, read from a file or made.
data::OpenWorldSplit open_split(const SplitArguments& arguments, const data::ImageSet& set);

}  // namespace opencd::cli
