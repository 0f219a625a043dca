// Cosines between rows of features and rows of weights, for both views of a batch:
//   cosines[b][k] = <x_b, w_k> / (|x_b| |w_k|)
// What each view leaves behind is kept here, so that both are in flight.
#pragma once

#include "nn/model.hpp"

#include <array>

namespace opencd::nn {

struct CosineLinearConfig {
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
};

class CosineLinear {
 public:
  /// For training on `rows` rows. The weights are called `name`.weight and start as unit rows.
  CosineLinear(Model& model,
               const std::string& name,
               const CosineLinearConfig& config,
               std::int64_t rows);
  CosineLinear(const CosineLinear&) = delete;
  CosineLinear& operator=(const CosineLinear&) = delete;

  /// After Model::allocate.
  void allocate();

  void forward(const std::array<Rows<const float>, 2>& src);
  /// Of the last forward, by view.
  Rows<float> cosines(std::size_t view) const;
  Rows<float> unit(std::size_t view) const;
  /// From the gradients of the cosines: assigns diff_src and adds to the gradient of the weights.
  void backward(const std::array<Rows<const float>, 2>& diff_cosines,
                const std::array<Rows<float>, 2>& diff_src);
  /// Cosines and unit rows of any number of rows.
  void infer(Rows<const float> src, Rows<float> unit, Rows<float> cosines);

 private:
  struct ViewRows {
    Buffer<float> unit, norms, cosines;
  };
  Rows<float> weight_rows(float* data) const;
  void normalise_weights();

  Model& model_;
  CosineLinearConfig config_;
  std::int64_t rows_;
  Parameter& weight_;
  Buffer<float> unit_weights_, weight_norms_, diff_unit_weights_;
  std::array<ViewRows, 2> views_;
};

}  // namespace opencd::nn
