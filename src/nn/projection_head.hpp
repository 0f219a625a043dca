// The projection head: Linear, batch norm (if asked for), ReLU, Linear over rows of features.
// Parameters are called head.0, head.1 and head.3 (if its name is head), as in a PyTorch Sequential
// of the four.
#pragma once

#include "nn/batch_norm.hpp"
#include "nn/linear.hpp"

#include <optional>

namespace opencd::nn {

struct ProjectionHeadConfig {
  std::string name = "head";
  std::int64_t in_features = 512;
  std::int64_t hidden = 512;
  std::int64_t out_features = 32;
  bool batch_norm = true;
};

class ProjectionHead {
 public:
  /// For training on `rows` rows; `infer` takes any number.
  ProjectionHead(Model& model, const ProjectionHeadConfig& config, std::int64_t rows);
  ProjectionHead(const ProjectionHead&) = delete;
  ProjectionHead& operator=(const ProjectionHead&) = delete;

  const ProjectionHeadConfig& config() const { return config_; }
  const SavedLayout& saved_layout() const { return pass_.saved; }
  Saved make_saved() const { return Saved(model_.device(), pass_.saved); }

  void forward(Rows<const float> src, Rows<float> dst, const Saved& saved);
  /// Assigns diff_src and adds to the gradients. Takes the src of forward, unchanged.
  void backward(Rows<const float> src,
                Rows<const float> diff_dst,
                Rows<float> diff_src,
                const Saved& saved);
  void infer(Rows<const float> src, Rows<float> dst) const;

 private:
  Desc hidden_desc(std::int64_t rows) const;
  Rows<float> hidden_rows(View<float> view) const;
  BatchNormSaved norm_saved(const Saved& saved) const;

  Model& model_;
  ProjectionHeadConfig config_;
  std::size_t first_parameter_;  // of the head in the trained range
  std::size_t parameter_count_ = 0;
  PassLayout pass_;
  Linear first_;
  std::optional<BatchNorm> norm_;
  Linear second_;
  Slot linear_dst_;  // before batch norm and ReLU
  Slot hidden_;      // after them
  Slot mask_;
};

}  // namespace opencd::nn
