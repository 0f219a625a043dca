#include "cli/training_setup.hpp"

#include "cli/environment.hpp"
#include "cli/output.hpp"
#include "cli/version.hpp"
#include "data/split_file.hpp"
#include "error.hpp"

#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

namespace opencd::cli {

namespace {

double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / 1048576.0; }

}  // namespace

void log_memory_plan(const Trainer& trainer, const kernels::Device& device) {
  const nn::MemoryPlan& plan = trainer.memory_plan();
  spdlog::info(
      "memory: {:.0f} MiB planned (weights {:.0f}, gradients {:.0f}, optimizer {:.0f}, activations "
      "{:.0f}, scratch {:.0f}), {:.0f} MiB in use with pictures, of {:.0f} MiB",
      mebibytes(plan.total()), mebibytes(plan.parameters), mebibytes(plan.gradients),
      mebibytes(plan.optimizer), mebibytes(plan.activations), mebibytes(plan.scratch),
      mebibytes(device.memory().used), mebibytes(device.memory().limit));
}

RunRequest run_request(const std::string& verb,
                       const RunArguments& arguments,
                       const std::string& data_name,
                       Json key_settings,
                       const SettingSources& sources) {
  RunRequest request;
  request.verb = verb;
  request.name = arguments.name.empty() ? fmt::format("{}-{}", verb, data_name) : arguments.name;
  request.root = arguments.root;
  request.out = arguments.out;
  request.resume = arguments.resume;
  request.force = arguments.force;
  request.key_settings = std::move(key_settings);
  request.settings = to_json(sources.settings);
  request.command_line = command_line();
  return request;
}

void begin_run(const RunFolder& run, const kernels::Device& device) {
  log_to_file(run.path() / "log.txt");
  for (const std::string& note : run.notes()) spdlog::warn("{}", printable(note));
  const std::vector<std::string> changed =
      run.write_environment(program_environment(device.info()));
  if (!changed.empty())
    spdlog::warn(
        "the last start of this run was made otherwise ({}): last digits may differ from those of "
        "a run that was not interrupted",
        printable(fmt::format("{}", fmt::join(changed, "; "))));
  spdlog::info("run folder: {}", run.path().string());
}

void start_run(RunFolder& run, const kernels::Device& device, const data::OpenWorldSplit& split) {
  begin_run(run, device);
  data::write_split(split, run.path() / "splits.json");
}

void load_start_weights(Trainer& trainer, const std::string& weights) {
  if (weights.empty()) {
    spdlog::warn(
        "no --weights: the network starts from random numbers; `pretrain` makes a "
        "backbone that learns far better");
    return;
  }
  const nn::LoadReport report = trainer.load_encoder(weights);
  if (!report.missing.empty() || !report.wrong_shape.empty())
    fail<FormatError>(
        "[weights] {}: not the backbone of this network: {} (--arch, --width and "
        "--stem must be those it was made with)",
        weights, report.summary());
  spdlog::info("backbone: {} tensors of {}", report.matched, weights);
}

}  // namespace opencd::cli
