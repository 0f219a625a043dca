// INPUT... of `predict`: pictures, folders of pictures, arrays and data sets, as pictures of a model's
// size, block by block. Files are decoded ahead on all cores, in memory that does not grow with them.
#pragma once

#include "data/image_set.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace opencd::cli {

/// One file.
struct InputPicture {
  std::filesystem::path file;
  std::string path;  // as it is shown
};

struct PredictionInputs {
  std::vector<InputPicture> pictures;
  std::vector<std::string> data_sets;  // DATA, to be opened as such
  std::vector<std::string> left_out;   // files that cannot be used: "path: reason"
};

/// Sorts the words of the command line. FormatError for one that is not there.
PredictionInputs find_inputs(const std::vector<std::string>& words);

/// A block of sound pictures, all of one shape, and their places in the list.
struct PictureRows {
  data::ImageRows rows;
  std::vector<std::size_t> places;
};

/// Decodes pictures to `shape`, which must be square; hands out blocks of at most `block`. Broken ones
/// are added to `left_out`.
void read_pictures(const std::vector<InputPicture>& pictures,
                   const data::ImageShape& shape,
                   std::size_t block,
                   std::vector<std::string>& left_out,
                   const std::function<void(const PictureRows&, std::size_t done)>& take);

}  // namespace opencd::cli
