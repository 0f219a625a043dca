// No method at all: keeps the features of all training rows as the encoder gives them, for those
// who only want to look at them.
#pragma once

#include "opencd/method.hpp"

namespace opencd {

class FeatureCollector final : public Method {
 public:
  explicit FeatureCollector(const MethodContext& context) : context_(context) {}

  void allocate() override {}
  void begin_epoch(std::uint32_t /*epoch*/, TrainingFeatures& /*features*/) override {}
  /// Reads all features.
  void finish(TrainingFeatures& features) override;
  /// UsageError: there is nothing to learn.
  void step(const MethodStep& step) override;
  std::vector<std::pair<std::string, double>> losses() override { return {}; }
  std::vector<std::string> metric_names() const override { return {}; }
  std::vector<Prediction> predict(Rows<const float> features) override;
  GroupCount groups() const override { return {}; }
  Json state() const override { return Json::object(); }
  void restore(const Json& /*state*/) override {}

  /// Rows x columns, after `finish`.
  const std::vector<float>& values() const { return values_; }
  std::size_t columns() const { return static_cast<std::size_t>(context_.features); }

 private:
  MethodContext context_;
  std::vector<float> values_;
};

}  // namespace opencd
