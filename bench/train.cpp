#include "bench/train.hpp"

#include "bench/conv_cases.hpp"
#include "bench/method_step.hpp"
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

/// A step must leave probabilities, whose squared length lies between 1 / K and 1, and a gradient.
/// The numbers themselves are compared with PyTorch's in the tests of nn.
std::string check_step(TrainStep& step, const TrainOptions& train) {
  step.run();
  const double loss = step.loss();
  const double least = 1.0 / static_cast<double>(train.prototypes);
  if (!(loss > 0.999 * least && loss < 1.001))
    return fmt::format("expected a loss between {} and 1, got {}", least, loss);
  const kernels::NormRecord record = step.optimizer().record();
  if (record.bad != 0 || !(record.squares > 0.0f))
    return fmt::format("expected a finite gradient, got {} entries that are not, squared norm {}",
                       record.bad, record.squares);
  return "";
}

Case step_case(const std::shared_ptr<TrainStep>& step, const TrainOptions& train) {
  Case result;
  result.name = "train_step";
  result.params = params_of(train);
  result.figures["memory_plan"] = step->plan().total();
  result.work = static_cast<double>(train.batch);
  result.unit = "img";
  result.run = [step] { step->run(); };
  result.check = [step, train] { return check_step(*step, train); };
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
    if (parts.step) {
      results.push_back(measure(device, step_case(step, train), options));
      results.back().figures["memory_peak"] = device.memory().peak;
    }
    if (parts.inference) results.push_back(measure(device, inference_case(step, train), options));
  }
  if (!train.method.empty())
    for (Result& result : time_method_steps(engine, train, options))
      results.push_back(std::move(result));
  if (!parts.convolutions) return results;
  // The machine's peak as far as it can be had: the better library's product of large matrices.
  double roof = measure(device, gemm_case(engine, 2048, false), options).rate;
  if (device.has_onemkl())
    roof = std::max(roof, measure(device, gemm_case(engine, 2048, true), options).rate);
  for (const Case& conv : conv_cases(engine, train))
    results.push_back(measure(device, conv, options));
  set_roof(results, "GFLOP/s", roof);
  return results;
}

}  // namespace opencd::bench
