// GCD's projection head: Linear, GELU, Linear, GELU, Linear over rows of features. Parameters are
// called NAME.0, NAME.2 and NAME.4, as in a PyTorch Sequential of the five.
#pragma once

#include "nn/linear.hpp"
#include "nn/saved.hpp"

namespace opencd::nn {

struct GeluHeadConfig {
  std::string name = "head";
  std::int64_t in_features = 512;
  std::int64_t hidden = 2048;
  std::int64_t out_features = 256;
};

class GeluHead {
 public:
  /// For training on `rows` rows.
  GeluHead(Model& model, const GeluHeadConfig& config, std::int64_t rows);
  GeluHead(const GeluHead&) = delete;
  GeluHead& operator=(const GeluHead&) = delete;

  const SavedLayout& saved_layout() const { return layout_; }
  Saved make_saved() const { return Saved(model_.device(), layout_); }

  void forward(Rows<const float> src, Rows<float> dst, const Saved& saved);
  /// Assigns diff_src and adds to the gradients. Takes the src of forward, unchanged.
  void backward(Rows<const float> src,
                Rows<const float> diff_dst,
                Rows<float> diff_src,
                const Saved& saved);

 private:
  Rows<float> hidden_rows(View<float> view) const;

  Model& model_;
  GeluHeadConfig config_;
  std::size_t first_parameter_;  // of the head in the trained range
  Linear first_, second_, third_;
  std::size_t parameter_count_;
  SavedLayout layout_;
  Slot linear1_, hidden1_, linear2_, hidden2_;  // before and after the GELUs
};

}  // namespace opencd::nn
