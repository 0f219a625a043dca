// The folder eval of a run: summary.json, confusion.csv, per_class.csv, predictions.csv.
#pragma once

#include "opencd/evaluation.hpp"
#include "opencd/model_description.hpp"

#include <filesystem>

namespace opencd::cli {

/// Which rows were predicted and what is known of them.
struct PredictedRows {
  std::vector<std::uint32_t> rows;    // numbers in the data set
  std::vector<std::string> paths;     // of the whole set; empty where rows are no files
  std::vector<std::int32_t> classes;  // places in the class order; negative: unknown
  std::vector<Prediction> predictions;
};

/// "sneaker" for a known class, "group 7" for a discovered one.
std::string group_name(const ModelDescription& model, std::int32_t group);

/// A cell of a CSV file, quoted where it must be; one that a spreadsheet would take for a formula
/// gets a quote in front.
std::string csv_cell(const std::string& text);

void write_evaluation(const std::filesystem::path& folder,
                      const Evaluation& evaluation,
                      const nlohmann::ordered_json& summary,
                      const PredictedRows& predicted,
                      const ModelDescription& model);

/// The scores as a table on stdout.
void print_evaluation(const Evaluation& evaluation);

}  // namespace opencd::cli
