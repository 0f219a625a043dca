// `train`: open-world training on a data set.
#include "cli/commands.hpp"
#include "cli/method_settings.hpp"
#include "cli/open_device.hpp"
#include "cli/train_run.hpp"

#include <spdlog/spdlog.h>

namespace opencd::cli {

namespace {

int train(const TrainOptions& o) {
  check_method_flags(o.method.method, o.common.sources.settings);
  const data::ImageSet set = open_data(o.data);
  const data::OpenWorldSplit split = open_split(o.split, set);
  const auto device = open_device(o.common);
  const nn::Engine engine(*device);
  const TrainedRun run = train_run(o, set, split, engine);
  if (run.finished) spdlog::info("the run is in {}", run.folder.string());
  return run.exit_code;
}

}  // namespace

void add_train_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* verb =
      app.add_subcommand("train", "Learn known classes and discover new ones in a data set");
  add_train_options(*verb, *options);
  define_verb(*verb, options->common, action, [options] { return train(*options); });
  verb->footer(
      "Example: opencd_sycl train fashion-mnist --known 5 --labeled-ratio 0.1 --preset small "
      "--weights backbone.safetensors");
}

}  // namespace opencd::cli
