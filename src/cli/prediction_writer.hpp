// The output of `predict`, row by row: CSV, JSON lines, or one JSON object at the end.
//
//   path,part,row,group,known,name,confidence,margin,typicality,none_of_these
#pragma once

#include "files/atomic_file.hpp"
#include "opencd/group_names.hpp"
#include "opencd/prediction.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace opencd::cli {

enum class PredictionFormat { csv, json_lines, json };

/// Where a predicted row comes from: a picture by its path, or a row of a data set.
struct RowOrigin {
  std::string path;  // of the picture, or DATA
  std::string part;  // "train" or "test"; empty for a picture
  std::uint64_t row = 0;
};

class PredictionWriter {
 public:
  /// To `file`, which appears when `finish` is called, or to stdout if it is empty. Rows of a
  /// typicality below `none_below` are none of these. `names` must outlive this.
  PredictionWriter(PredictionFormat format,
                   const std::filesystem::path& file,
                   const GroupNames& names,
                   double none_below);

  /// Without a typicality nothing is said about none of these.
  void add(const RowOrigin& origin, const Prediction& prediction, std::optional<double> typicality);
  /// `more` goes into the one JSON object besides the list.
  void finish(const nlohmann::ordered_json& more);

  std::size_t rows() const { return rows_; }
  std::size_t none_of_these() const { return none_of_these_; }

 private:
  void write(const std::string& line);

  PredictionFormat format_;
  const GroupNames& names_;
  double none_below_;
  std::optional<files::AtomicFile> file_;
  nlohmann::ordered_json list_ = nlohmann::ordered_json::array();
  std::size_t rows_ = 0;
  std::size_t none_of_these_ = 0;
};

}  // namespace opencd::cli
