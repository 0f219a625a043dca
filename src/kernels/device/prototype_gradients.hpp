// The gradients of the weighted losses of prototype_losses.hpp with respect to the cosines of both
// views, through the softmax and its temperature: dx = p (dp - <p, dp>) / tau. One work-group a row;
// all assign. Nothing is cut off: targets get their gradient too.
//   view 1  dp_k = [ w_proto (p_k / |p|^2 - v_k / s') + w_group dq_g(k) + w_i w_reg pull_k ] / B
//                  - [g(k) = y] w_ce / (labelled (q_y + eps))
//   view 2  dp_k = sum over the anchors i that chose this row of
//                    [ w_proto (v_k / |v|^2 - p1_ik / s'_i) + w_group dr_ig(k) ] / B
// with s' = <p, v>; the terms with |p|^2 and |v|^2 are the paper form's. In the code form a row's
// dr is its own, whoever chose it.
// The anchors of a row are looked for one after the other, in their order: no lists, no atomics, and
// B + B searches in all however they are shared out.
#pragma once

#include "kernels/device/prototype_losses.hpp"

namespace opencd::kernels {

/// What the gradients of both views need.
struct PrototypeBackward {
  const float* p1;
  const float* p2;
  const std::int32_t* partners;
  const std::int32_t* group_of;
  const AnchorTerms* terms;
  int anchors;
  int prototypes;
  int groups;
  LossForm form;
  PrototypeLossWeights weights;
  float inv_temperature;

  float proto_scale() const { return weights.proto / static_cast<float>(anchors); }
  float group_scale() const { return weights.group / static_cast<float>(anchors); }
  const float* row(const float* p, std::size_t i) const { return p + i * prototypes; }
};

struct PrototypeGradientView1 {
  PrototypeBackward in;
  const std::int32_t* labels;
  const float* row_weights;
  const float* diff_q;
  const float* pull;
  const PrototypeLossRecord* record;
  float* diff;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = row_of(item);
    const AnchorTerms& anchor = in.terms[i];
    const float* p = in.row(in.p1, i);
    const float* v = in.row(in.p2, static_cast<std::size_t>(in.partners[i]));
    const float* dq = diff_q + i * in.groups;
    float* dx = diff + i * in.prototypes;

    const float to_partner = -in.proto_scale() / anchor.inner;
    const float to_self = in.form == LossForm::paper ? in.proto_scale() * anchor.inv_squares : 0.0f;
    const float reg = in.weights.reg * row_weights[i] / static_cast<float>(in.anchors);
    const std::int32_t label = labels[i];
    const float to_label = label >= 0 ? -in.weights.ce / (static_cast<float>(record->labelled) *
                                                          (anchor.label_share + kGroupEpsilon))
                                      : 0.0f;
    for_each_column(item, in.prototypes, [&](int k) {
      const std::int32_t g = in.group_of[k];
      dx[k] = to_partner * v[k] + to_self * p[k] + in.group_scale() * dq[g] + reg * pull[k] +
              (g == label ? to_label : 0.0f);
    });
    softmax_backward(item, p, dx, dx, in.prototypes, in.inv_temperature);
  }
};
OPENCD_KERNEL(PrototypeGradientView1, 1)

struct PrototypeGradientView2 {
  PrototypeBackward in;
  const float* diff_r;
  float* diff;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t j = row_of(item);
    const float* v = in.row(in.p2, j);
    float* dx = diff + j * in.prototypes;
    const bool paper = in.form == LossForm::paper;
    const float own = paper ? 0.0f : in.group_scale();
    const float* dr = diff_r + j * in.groups;
    for_each_column(item, in.prototypes, [&](int k) { dx[k] = own * dr[in.group_of[k]]; });
    for (int i = next_anchor(item, 0); i < in.anchors; i = next_anchor(item, i + 1)) {
      const AnchorTerms& anchor = in.terms[i];
      const float* p = in.row(in.p1, static_cast<std::size_t>(i));
      const float* dri = diff_r + static_cast<std::size_t>(i) * in.groups;
      const float to_anchor = -in.proto_scale() / anchor.inner;
      const float to_self = paper ? in.proto_scale() * anchor.partner_inv_squares : 0.0f;
      const float group = paper ? in.group_scale() : 0.0f;
      for_each_column(item, in.prototypes, [&](int k) {
        dx[k] += to_anchor * p[k] + to_self * v[k] + group * dri[in.group_of[k]];
      });
    }
    softmax_backward(item, v, dx, dx, in.prototypes, in.inv_temperature);
  }

  /// The first anchor from `first` on whose partner is this row; `anchors` if there is none.
  int next_anchor(const sycl::nd_item<1>& item, int first) const {
    const auto self = static_cast<std::int32_t>(row_of(item));
    int found = in.anchors;
    for_each_column(item, in.anchors - first, [&](int c) {
      const int i = first + c;
      found = in.partners[i] == self ? sycl::min(found, i) : found;
    });
    return min_over_group(item, found);
  }
};
OPENCD_KERNEL(PrototypeGradientView2, 1)

}  // namespace opencd::kernels
