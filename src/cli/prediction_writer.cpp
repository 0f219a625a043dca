#include "cli/prediction_writer.hpp"

#include "cli/evaluation_files.hpp"
#include "cli/output.hpp"

#include <fmt/format.h>

namespace opencd::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHeader =
    "path,part,row,group,known,name,confidence,margin,typicality,none_of_these";

/// Four digits are more than any of these numbers is worth, and 0.93 does not become 0.930000007.
double rounded(double value) { return std::stod(fmt::format("{:.4f}", value)); }

}  // namespace

PredictionWriter::PredictionWriter(PredictionFormat format,
                                   const std::filesystem::path& file,
                                   const GroupNames& names,
                                   double none_below)
    : format_(format), names_(names), none_below_(none_below) {
  if (!file.empty()) file_.emplace(file);
  if (format_ == PredictionFormat::csv) write(kHeader);
}

void PredictionWriter::write(const std::string& line) {
  if (file_)
    file_->write(line + "\n");
  else
    print_line(line);
}

void PredictionWriter::add(const RowOrigin& origin,
                           const Prediction& prediction,
                           std::optional<double> typicality) {
  const bool known = names_.is_known(prediction.group);
  const std::string name = names_.of(prediction.group);
  const bool none = typicality && *typicality < none_below_;
  ++rows_;
  none_of_these_ += none ? 1 : 0;
  if (format_ == PredictionFormat::csv) {
    write(fmt::format("{},{},{},{},{},{},{:.4f},{:.4f},{},{}", csv_cell(origin.path), origin.part,
                      origin.part.empty() ? "" : std::to_string(origin.row), prediction.group,
                      known ? "yes" : "no", csv_cell(name), prediction.confidence,
                      prediction.margin, typicality ? fmt::format("{:.4f}", *typicality) : "",
                      !typicality ? ""
                      : none      ? "yes"
                                  : "no"));
    return;
  }
  Json row = {{"path", origin.path}};
  if (!origin.part.empty()) row.update({{"part", origin.part}, {"row", origin.row}});
  row.update({{"group", prediction.group},
              {"known", known},
              {"name", name},
              {"confidence", rounded(prediction.confidence)},
              {"margin", rounded(prediction.margin)}});
  row["typicality"] = typicality ? Json(rounded(*typicality)) : Json();
  row["none_of_these"] = typicality ? Json(none) : Json();
  if (format_ == PredictionFormat::json)
    list_.push_back(std::move(row));
  else
    write(row.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void PredictionWriter::finish(const Json& more) {
  if (format_ == PredictionFormat::json) {
    Json object = more;
    object["predictions"] = std::move(list_);
    write(object.dump(2, ' ', false, Json::error_handler_t::replace));
  }
  if (file_) file_->commit();
}

}  // namespace opencd::cli
