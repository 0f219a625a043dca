// The folder eval of a run: summary.json, confusion.csv, per_class.csv, predictions.csv.
#pragma once

#include "opencd/evaluation.hpp"
#include "opencd/group_names.hpp"

#include <filesystem>
#include <optional>

namespace opencd::cli {

/// Which rows were predicted and what is known of them.
struct PredictedRows {
  std::vector<std::uint32_t> rows;    // numbers in the data set
  std::vector<std::string> paths;     // of the whole set; empty where rows are no files
  std::vector<std::int32_t> classes;  // places in the class order; negative: unknown
  std::vector<Prediction> predictions;
};

/// What classes and groups are called.
struct Naming {
  std::vector<std::string> classes;  // known ones first
  std::size_t known = 0;
  GroupNames groups;
};

/// A cell of a CSV file, quoted where it must be; one that a spreadsheet would take for a formula
/// gets a quote in front.
std::string csv_cell(const std::string& text);

/// row,path,class,group,name,confidence,margin,likeness
std::string predictions_csv(const PredictedRows& predicted, const Naming& naming);

/// [{"group": 0, "size": 512, "known_class": "cat" or null, "name": "cat"}, ...]
nlohmann::ordered_json groups_json(const PredictedRows& predicted, const Naming& naming);

/// Confusion and scores of classes only where there is an evaluation.
void write_evaluation(const std::filesystem::path& folder,
                      const std::optional<Evaluation>& evaluation,
                      const nlohmann::ordered_json& summary,
                      const PredictedRows& predicted,
                      const Naming& naming);
/// The scores as a table on stdout.
void print_evaluation(const Evaluation& evaluation);

}  // namespace opencd::cli
