// A convolution with its batch norm folded in: fixed statistics make the two one convolution with
// a bias, and the residual sum and ReLU run inside it.
//   weights' = weights scale,  bias' = bias - mean scale,  scale = weight / sqrt(var + eps)
#pragma once

#include "nn/conv_norm.hpp"

#include <memory>

namespace opencd::nn {

struct FoldedConvConfig {
  bool relu = false;
  bool add = false;  // dst already holds what is added before the ReLU
};

class FoldedConv {
 public:
  /// Folds `norm` into `conv`; without a norm the weights are taken as they are. Both must outlive
  /// this.
  FoldedConv(Model& model,
             const Conv2d& conv,
             const BatchNorm* norm,
             const FoldedConvConfig& config);

  /// One batch size's primitive.
  struct Step {
    Desc src_desc;
    Desc dst_desc;
    Desc weights_desc;  // where it is not that of the folded weights, they are brought to it
    Operation operation;
    std::unique_ptr<WinogradConv> winograd;  // in place of the operation
  };
  /// `dst`: the layout that the output must have, or empty for any. The step may want its src in
  /// another layout than the one given.
  Step prepare(const Desc& src, const Desc& dst = {});

  /// Takes over the present weights and statistics.
  void fold();
  void run(const Step& step, View<const float> src, View<float> dst) const;

 private:
  Step prepare_winograd(const Shape& src);

  Model& model_;
  const Conv2d& conv_;
  const BatchNorm* norm_;
  FoldedConvConfig config_;
  bool winograd_;
  Desc weights_desc_;  // empty until the first `prepare`, whose layout all batch sizes share
  Desc channel_desc_;
  Buffer<float> weights_;  // or the filters of Winograd's convolution
  Buffer<float> scale_;
  Buffer<float> bias_;
};

}  // namespace opencd::nn
