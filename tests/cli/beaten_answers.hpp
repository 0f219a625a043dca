// Whether a run of the program has learned anything: its accuracy beside those of answers that need no
// learning, on the very rows that it was scored on.
#pragma once

#include "opencd/metrics.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"
#include "support/trivial_answers.hpp"

#include <doctest/doctest.h>

#include <map>

namespace opencd::test {

/// ORCA's accuracy on all rows, as a summary tells it.
inline double accuracy_of(const nlohmann::json& summary) {
  return summary.at("orca").at("all").get<double>();
}

/// The true class of every row of DIR/predictions.csv; classes are numbered in the order of their names.
inline std::vector<std::int32_t> true_classes(const std::filesystem::path& folder) {
  std::istringstream lines(text_of(folder / "predictions.csv"));
  std::string line;
  std::getline(lines, line);
  REQUIRE_EQ(line.rfind("row,path,class,group,", 0), 0);
  std::vector<std::string> names;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (int i = 0; i < 3; ++i) std::getline(cells, cell, ',');
    names.push_back(cell);
  }
  std::map<std::string, std::int32_t> numbers;
  for (const std::string& name : names) numbers.emplace(name, 0);
  std::int32_t next = 0;
  for (auto& [name, number] : numbers) number = next++;
  std::vector<std::int32_t> classes;
  for (const std::string& name : names) classes.push_back(numbers.at(name));
  return classes;
}

/// Accuracies on all rows of DIR/predictions.csv in as many groups as there are classes.
inline TrivialScores trivial_accuracies(const std::filesystem::path& folder) {
  const std::vector<std::int32_t> truth = true_classes(folder);
  REQUIRE_FALSE(truth.empty());
  const auto classes = static_cast<std::size_t>(*std::max_element(truth.begin(), truth.end())) + 1;
  return trivial_scores(truth.size(), classes, [&](const std::vector<std::int32_t>& answer) {
    return orca_accuracy(count_contingency(answer, truth, classes, classes), 0).all.fraction();
  });
}

/// The accuracy of k-means on the features that training begins with. `arguments` of `train` name
/// data, split, network and the number of classes; the method and the folder are added here.
inline double kmeans_accuracy(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  for (const std::string& word : std::vector<std::string>{"--method", "simclr-kmeans", "-o",
                                                          folder / "kmeans", "--json", "--quiet"})
    arguments.push_back(word);
  const ProcessResult result = opencd(arguments);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  return accuracy_of(nlohmann::json::parse(result.out));
}

}  // namespace opencd::test
