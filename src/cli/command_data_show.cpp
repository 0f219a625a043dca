// `data show`: a contact sheet of rows and their views, so that a person sees what the network sees.
#include "cli/commands.hpp"
#include "cli/data_options.hpp"
#include "cli/open_device.hpp"
#include "cli/output.hpp"
#include "data/png_writer.hpp"
#include "opencd/preview.hpp"

#include <fmt/ranges.h>

#include <memory>

namespace opencd::cli {

namespace {

struct ShowOptions {
  CommonOptions common;
  DataArguments data;
  std::string augment = "opencd";
  std::string out = "sheet.png";
  PreviewOptions preview;
};

int show(const ShowOptions& options) {
  const kernels::AugmentConfig config = kernels::augment_preset(options.augment);
  const data::ImageSet set = open_data(options.data);
  const auto device = open_device(options.common);
  PreviewOptions preview = options.preview;
  preview.seed = options.common.seed;
  const data::Picture sheet = preview_views(*device, set, config, preview);
  data::write_png(sheet, options.out);
  if (options.common.json)
    print_json({{"file", options.out}, {"width", sheet.width}, {"height", sheet.height}});
  else
    print_line(fmt::format("{}: {} x {} pixels; each line a row and {} views of it", options.out,
                           sheet.width, sheet.height, preview.views));
  return 0;
}

}  // namespace

void add_data_show_command(CLI::App& data, Action& action) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* verb = data.add_subcommand("show", "Draw rows and their augmented views on one page");
  add_data_options(*verb, options->data);
  verb->add_option("--augment", options->augment,
                   fmt::format("{}", fmt::join(kernels::augment_preset_names(), " | ")))
      ->capture_default_str();
  verb->add_option("-o,--out", options->out, "PNG file to write")->capture_default_str();
  verb->add_option("--rows", options->preview.rows, "Rows to show, spread over the set")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--views", options->preview.views, "Views of each row")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  verb->add_option("--epoch", options->preview.epoch, "Epoch whose views are drawn")
      ->capture_default_str();
  define_verb(*verb, options->common, action, [options] { return show(*options); });
  verb->footer(
      "Example: opencd_sycl data show cifar-10-batches-bin --augment opencd --out sheet.png");
}

}  // namespace opencd::cli
