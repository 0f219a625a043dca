// y = x weight^T + bias over rows. Everything is plain row-major: rows are what comes in and goes
// out, and the matrices are small.
#pragma once

#include "nn/layer.hpp"

namespace opencd::nn {

struct LinearConfig {
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
  Init init = Init::kaiming_normal;  // of the weights
};

class Linear {
 public:
  /// For training on `rows` rows; `infer` takes any number.
  Linear(Model& model,
         const std::string& name,
         const LinearConfig& config,
         std::int64_t rows,
         Use use);

  const LinearConfig& config() const { return config_; }

  void forward(Rows<const float> src, Rows<float> dst) const;
  void infer(Rows<const float> src, Rows<float> dst) const;
  /// Needs the src of forward.
  void backward(Rows<const float> src, Rows<const float> diff_dst, Rows<float> diff_src) const;

 private:
  using ForwardDesc = dnnl::inner_product_forward::primitive_desc;
  ForwardDesc forward_desc(dnnl::prop_kind kind, std::int64_t rows) const;
  Arguments forward_arguments(Rows<const float> src, Rows<float> dst) const;
  Desc rows_desc(std::int64_t rows, std::int64_t features) const;

  Model& model_;
  LinearConfig config_;
  std::int64_t rows_;
  Parameter* weight_;
  Parameter* bias_;
  Operation forward_;
  Operation backward_data_;
  Operation backward_weights_;
};

}  // namespace opencd::nn
