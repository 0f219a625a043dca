#include "cli/evaluation_files.hpp"

#include "cli/output.hpp"
#include "files/atomic_file.hpp"

#include <fmt/format.h>

#include <utility>

namespace opencd::cli {

namespace {

std::string confusion_csv(const Evaluation& evaluation, const Naming& naming) {
  const ConfusionMatrix matrix = confusion_matrix(evaluation.table);
  std::string text = "class";
  for (const std::int32_t group : matrix.groups) text += "," + csv_cell(naming.groups.of(group));
  text += '\n';
  for (std::size_t c = 0; c < evaluation.table.classes; ++c) {
    text += csv_cell(naming.classes[c]);
    for (std::size_t g = 0; g < matrix.groups.size(); ++g)
      text += fmt::format(",{}", matrix.counts[c * matrix.groups.size() + g]);
    text += '\n';
  }
  return text;
}

std::string per_class_csv(const Evaluation& evaluation, const Naming& naming) {
  std::string text = "class,known,group,rows,group_rows,correct,recall,precision\n";
  const std::vector<ClassScore> scores = class_scores(evaluation.table);
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const ClassScore& score = scores[c];
    text += fmt::format("{},{},{},{},{},{},{:.6f},{:.6f}\n", csv_cell(naming.classes[c]),
                        c < naming.known ? "yes" : "no", score.group, score.rows, score.group_rows,
                        score.correct, score.recall().fraction(), score.precision().fraction());
  }
  return text;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string cell = text;
  if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos)
    cell.insert(cell.begin(), '\'');
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string predictions_csv(const PredictedRows& predicted, const Naming& naming) {
  std::string text = "row,path,class,group,name,confidence,margin,likeness\n";
  for (std::size_t i = 0; i < predicted.rows.size(); ++i) {
    const Prediction& p = predicted.predictions[i];
    const std::int32_t cls = predicted.classes[i];
    text +=
        fmt::format("{},{},{},{},{},{:.6f},{:.6f},{:.6f}\n", predicted.rows[i],
                    predicted.paths.empty() ? "" : csv_cell(predicted.paths[predicted.rows[i]]),
                    cls < 0 ? "" : csv_cell(naming.classes[static_cast<std::size_t>(cls)]), p.group,
                    csv_cell(naming.groups.of(p.group)), p.confidence, p.margin, p.likeness);
  }
  return text;
}

nlohmann::ordered_json groups_json(const PredictedRows& predicted, const Naming& naming) {
  std::vector<std::size_t> sizes(naming.groups.size(), 0);
  for (const Prediction& prediction : predicted.predictions) {
    const auto group = static_cast<std::size_t>(prediction.group);
    if (group >= sizes.size()) sizes.resize(group + 1, 0);
    ++sizes[group];
  }
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (std::int32_t group = 0; std::cmp_less(group, sizes.size()); ++group) {
    const std::string name = naming.groups.of(group);
    nlohmann::ordered_json known_class;
    if (naming.groups.is_known(group)) known_class = name;
    groups.push_back({{"group", group},
                      {"size", sizes[static_cast<std::size_t>(group)]},
                      {"known_class", known_class},
                      {"name", name}});
  }
  return groups;
}

void write_evaluation(const std::filesystem::path& folder,
                      const std::optional<Evaluation>& evaluation,
                      const nlohmann::ordered_json& summary,
                      const PredictedRows& predicted,
                      const Naming& naming) {
  std::filesystem::create_directories(folder);
  if (evaluation) {
    files::write_file(folder / "confusion.csv", confusion_csv(*evaluation, naming));
    files::write_file(folder / "per_class.csv", per_class_csv(*evaluation, naming));
  }
  files::write_file(folder / "predictions.csv", predictions_csv(predicted, naming));
  files::write_file(folder / "summary.json", summary.dump(2) + "\n");
}

void print_evaluation(const Evaluation& evaluation) {
  const auto row = [](const char* name, const OpenWorldAccuracy& accuracy) {
    const auto percent = [](const Accuracy& a) {
      return fmt::format("{:.1f}", 100.0 * a.fraction());
    };
    return std::vector<std::string>{name, percent(accuracy.known), percent(accuracy.novel),
                                    percent(accuracy.all)};
  };
  const GroupCount& groups = evaluation.groups;
  print_line(fmt::format("{} {}: {} classes found ({} to {}), {} true", evaluation.table.rows(),
                         evaluation.split, groups.found, groups.low, groups.high,
                         evaluation.classes_true));
  print_table({"accuracy, %", "known", "novel", "all"},
              {row("orca", evaluation.orca), row("gcd v1", evaluation.gcd_v1),
               row("gcd v2", evaluation.gcd_v2)});
  print_line(fmt::format("NMI {:.3f}, ARI {:.3f}", evaluation.nmi, evaluation.ari));
}

}  // namespace opencd::cli
