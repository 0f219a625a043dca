// A Linear at the end of a network, which adds to its gradients, so that several views can go through
// it before a step of the optimizer.
#pragma once

#include "nn/linear.hpp"

namespace opencd::nn {

class LinearHead {
 public:
  /// For training on `rows` rows; `infer` takes any number.
  LinearHead(Model& model, const std::string& name, const LinearConfig& config, std::int64_t rows)
      : parameters_(model.parameters()),
        first_parameter_(parameters_.size(Role::trained)),
        linear_(model, name, config, rows, Use::train),
        parameter_count_(parameters_.size(Role::trained) - first_parameter_) {}

  const LinearConfig& config() const { return linear_.config(); }
  /// Where its parameters lie in the trained range.
  ParameterRange range() const { return {first_parameter_, parameter_count_}; }

  void forward(Rows<const float> src, Rows<float> dst) const { linear_.forward(src, dst); }
  void infer(Rows<const float> src, Rows<float> dst) const { linear_.infer(src, dst); }
  /// Assigns diff_src and adds to the gradients. Takes the src of forward, unchanged.
  void backward(Rows<const float> src, Rows<const float> diff_dst, Rows<float> diff_src) {
    linear_.backward(src, diff_dst, diff_src);
    parameters_.accumulate(first_parameter_, parameter_count_);
  }

 private:
  ParameterSet& parameters_;
  std::size_t first_parameter_;  // in the trained range
  Linear linear_;
  std::size_t parameter_count_;
};

}  // namespace opencd::nn
