// SimCLR: the two views of a picture are to be more alike than any two pictures. Learns an encoder
// without labels; the pretraining of everything else here.
#pragma once

#include "kernels/contrastive.hpp"
#include "kernels/readback.hpp"
#include "nn/projection_head.hpp"
#include "opencd/method.hpp"

#include <optional>

namespace opencd {

struct SimClrConfig {
  double temperature = 0.1;
  std::int64_t dimensions = 128;
};

/// From the options "temperature" and "dimensions", which may be left out.
SimClrConfig simclr_config(const Json& options);

class SimClr final : public Method {
 public:
  SimClr(const MethodContext& context, const SimClrConfig& config);

  void allocate() override;
  std::size_t activation_bytes() const override { return 2 * head_.saved_layout().bytes(); }
  void begin_epoch(std::uint32_t /*epoch*/, TrainingFeatures& /*features*/) override {}
  void finish(TrainingFeatures& /*features*/) override {}
  void step(const MethodStep& step) override;
  std::vector<std::pair<std::string, double>> losses() override;
  std::vector<std::string> metric_names() const override { return {"loss"}; }
  /// It knows no groups: everything is in group 0.
  std::vector<Prediction> predict(Rows<const float> features) override;
  GroupCount groups() const override { return {1, 1, 1}; }
  Json state() const override { return Json::object(); }
  void restore(const Json& /*state*/) override {}

 private:
  /// Rows of view v of a matrix that holds both views, one below the other.
  Rows<float> of_view(const kernels::Buffer<float>& both, std::size_t v) const;

  MethodContext context_;
  SimClrConfig config_;
  nn::ProjectionHead head_;
  std::array<std::optional<nn::Saved>, 2> saved_;
  kernels::Buffer<float> z_, unit_, norms_, cosines_, diff_unit_;
  kernels::Buffer<kernels::ContrastiveRecord> record_;
  std::optional<kernels::Scratch> scratch_;
  std::optional<kernels::Readback<kernels::ContrastiveRecord>> readback_;
};

}  // namespace opencd
