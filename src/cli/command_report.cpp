// `report`: one page about a run, or a comparison of several.
#include "cli/calibrate_run.hpp"
#include "cli/commands.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "cli/report/comparison.hpp"
#include "cli/report/map_features.hpp"
#include "cli/report/run_page.hpp"
#include "cli/run_model.hpp"
#include "error.hpp"
#include "files/atomic_file.hpp"

#include <spdlog/spdlog.h>

namespace opencd::cli {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  CommonOptions common;
  std::vector<std::string> runs;
  std::string out;
  std::size_t map_points = 2000;
  std::size_t sheet_pictures = 10;
};

/// What the files of a run lead to: its model and its pictures, as far as they are there.
class RunReport {
 public:
  RunReport(const ReportOptions& options, report::RunRecord run)
      : options_(options), run_(std::move(run)) {
    extras_.sheet_pictures = options.sheet_pictures;
  }

  report::Document page() {
    open_checkpoint();
    if (model_) {
      extras_.takes_names = model_->groups > 0;
      take_names();
      open_pictures();
      draw_map();
    }
    return report::run_page(run_, extras_);
  }

  Json contents() const {
    return {{"groups", run_.groups.size()},
            {"rows", run_.rows.size()},
            {"pictures", extras_.set != nullptr},
            {"map_points", extras_.map ? extras_.map->rows.size() : 0}};
  }

 private:
  void without_model(const std::string& why) {
    extras_.no_map = "There is no map: " + why;
    extras_.no_pictures = "There are no pictures: " + why;
  }

  void open_checkpoint() {
    if (run_.verb != "train") {
      without_model(fmt::format("a run of {} has none.", run_.verb));
      return;
    }
    try {
      model_ = open_model({.run = run_.folder.string()});
    } catch (const FormatError& error) {
      spdlog::warn("{}", printable(error.what()));
      without_model("no checkpoint of the run can be read.");
    }
  }

  /// Names may have been given after the evaluation.
  void take_names() {
    const GroupNames names = group_names(*model_);
    for (report::GroupRecord& group : run_.groups) {
      if (group.known || std::cmp_greater_equal(group.group, names.size())) continue;
      group.name = names.of(group.group);
      group.named = names.given().contains(group.group);
    }
  }

  void open_pictures() {
    try {
      data::ImageSet set = open_model_data(*model_, {});
      if (is_trained_on(*model_, set)) {
        set_ = std::move(set);
        extras_.set = &*set_;
        return;
      }
      extras_.no_pictures = "There are no pictures: the data set has changed since the training.";
    } catch (const Error& error) {
      spdlog::warn("no pictures: {}", printable(error.what()));
      extras_.no_pictures = "There are no pictures: the data set of the run is not there any more.";
    }
  }

  void draw_map() {
    if (options_.map_points == 0) {
      extras_.no_map = "There is no map: it was not asked for (--map-points 0).";
      return;
    }
    const auto rows = report::map_rows(run_.folder, options_.map_points);
    if (rows.empty()) {
      extras_.no_map = "There is no map: the run has no unlabelled rows.";
      return;
    }
    auto features = report::read_map_features(*model_, rows);
    if (!features && set_) {
      const auto device = open_device(options_.common);
      features =
          report::make_map_features(*model_, *set_, rows, nn::Engine(*device), options_.common);
    }
    if (!features) {
      extras_.no_map = "There is no map: the data set of the run is not there any more.";
      return;
    }
    place(*features);
    judge(*features);
  }

  void place(const report::MapFeatures& features) {
    report::FeatureMap map = report::points_of(features);
    if (set_) {
      constexpr std::size_t kThumbnailsInLine = 50;
      map.pictures = report::picture_tiles(
          *set_, features.rows, report::thumbnail_cell(set_->shape, features.rows.size()),
          kThumbnailsInLine);
    }
    extras_.map = std::move(map);
  }

  /// How usual the rows of the map are.
  void judge(const report::MapFeatures& features) {
    const auto calibration = read_calibration(run_.folder / "eval", model_->checkpoint.name());
    if (!calibration) return;
    for (std::size_t i = 0; i < features.rows.size(); ++i)
      extras_.typicalities[features.rows[i]] = calibration->typicality(
          std::span(features.features).subspan(i * features.columns, features.columns),
          std::cmp_less(features.groups[i], model_->description.known));
  }

  const ReportOptions& options_;
  report::RunRecord run_;
  report::RunExtras extras_;
  std::optional<SavedModel> model_;
  std::optional<data::ImageSet> set_;
};

void write_page(const fs::path& file, const report::Document& page, bool json, Json said) {
  const std::string html = report::to_html(page);
  files::write_file(file, html);
  if (json) {
    said["page"] = file.string();
    said["bytes"] = html.size();
    print_json(said);
    return;
  }
  print_line(fmt::format("{}: {:.1f} MB", printable(file.string()),
                         static_cast<double>(html.size()) / 1e6));
}

int report_runs(const ReportOptions& options) {
  std::vector<report::RunRecord> runs;
  runs.reserve(options.runs.size());
  for (const std::string& run : options.runs) runs.push_back(report::read_run_record(run));
  const bool one = runs.size() == 1;
  const fs::path file = !options.out.empty() ? fs::path(options.out)
                        : one                ? runs.front().folder / "report.html"
                                             : fs::path("comparison.html");
  report::require_own_page(file);
  if (one) {
    RunReport about(options, std::move(runs.front()));
    const report::Document page = about.page();
    write_page(file, page, options.common.json, about.contents());
  } else {
    write_page(file, report::comparison_page(runs), options.common.json, {{"runs", options.runs}});
  }
  return 0;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Write one page about a run, or compare runs");
  verb->add_option("RUN", options->runs, "A run; several are compared")->required();
  verb->add_option("-o,--out", options->out,
                   "The page (default: RUN/report.html; comparison.html for several runs)");
  verb->add_option("--map-points", options->map_points,
                   "Rows on the map of features; 0: no map, and no device is needed")
      ->check(CLI::Range(std::size_t{0}, report::kMostMapPoints))
      ->capture_default_str();
  verb->add_option("--sheet-pictures", options->sheet_pictures,
                   "Pictures of each kind on the sheet of a group; 0: none")
      ->check(CLI::Range(0, 40))
      ->capture_default_str();
  define_verb(*verb, options->common, action, [options] { return report_runs(*options); });
  verb->footer("Example: opencd_sycl report runs/train-fashion-mnist");
}

}  // namespace opencd::cli
