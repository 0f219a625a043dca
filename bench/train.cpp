#include "bench/train.hpp"

#include "bench/conv_cases.hpp"
#include "bench/op_cases.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace opencd::bench {

namespace {

Json params_of(const TrainOptions& train) {
  const auto freeze = static_cast<int>(train.freeze);
  return {{"arch", train.arch},
          {"batch", train.batch},
          {"crop", train.crop},
          {"width", train.width},
          {"prototypes", train.prototypes},
          {"freeze_until", freeze == 0 ? "none" : fmt::format("stage{}", freeze)},
          {"frozen_norm", train.frozen_norm == nn::FrozenNorm::fixed ? "fixed" : "batch"},
          {"deterministic", train.deterministic}};
}

/// Steps must stay finite and lower the loss.
std::string check_steps(TrainStep& step) {
  step.run();
  const double first = step.loss();
  step.run();
  step.run();
  const double third = step.loss();
  if (step.optimizer().record().bad != 0) return "gradients are not finite";
  if (!(third < first)) return fmt::format("the loss went from {} to {}", first, third);
  return "";
}

Case step_case(const std::shared_ptr<TrainStep>& step, const TrainOptions& train) {
  Case result;
  result.name = "train_step";
  result.params = params_of(train);
  result.params["memory_plan"] = step->plan().total();
  result.work = static_cast<double>(train.batch);
  result.unit = "img";
  result.run = [step] { step->run(); };
  result.check = [step] { return check_steps(*step); };
  return result;
}

Case inference_case(const std::shared_ptr<TrainStep>& step, const TrainOptions& train) {
  Case result;
  result.name = "inference";
  result.params = params_of(train);
  result.work = static_cast<double>(train.batch);
  result.unit = "img";
  result.run = [step] { step->infer(); };
  result.check = [step]() -> std::string {
    step->infer();
    return step->features_finite() ? "" : "features are not finite";
  };
  return result;
}

}  // namespace

std::vector<Result> run_train_suite(const nn::Engine& engine,
                                    const TrainOptions& train,
                                    const TrainParts& parts,
                                    const MeasureOptions& options) {
  kernels::Device& device = engine.device();
  std::vector<Result> results;
  if (parts.step || parts.inference) {
    const auto step = std::make_shared<TrainStep>(engine, train);
    if (parts.step) results.push_back(measure(device, step_case(step, train), options));
    if (parts.inference) results.push_back(measure(device, inference_case(step, train), options));
  }
  if (!parts.convolutions) return results;
  const Result roof = measure(device, gemm_case(engine, 2048, device.has_onemkl()), options);
  for (const Case& conv : conv_cases(engine, train))
    results.push_back(measure(device, conv, options));
  set_roof(results, "GFLOP/s", roof.rate);
  return results;
}

}  // namespace opencd::bench
