// The losses of OpenNCD over B anchors, K prototypes and G groups: everything but the gradients
// (prototype_gradients.hpp). Anchor i has p = p1[i], its partner t has v = p2[t]. q is p summed over
// groups, r the same of p2[i] (code) or of v (paper).
//   L_proto = mean -log s,  s = <p, v>  (code)  or  <p, v> / (|p| |v|)  (paper)
//   L_group = c mean sum_g -(r_g log(q_g + eps) + q_g log(r_g + eps)),  c = 1/2 (code) or 1 (paper)
//   L_ce    = mean over labelled anchors of -log(q_y + eps);  0 if there are none
//   L_reg   = sum_k m_k log(m_k / prior_k),  m = mean of w_i p1[i], the mean of w being 1
// The constant K 1e-7 that the authors' program adds to L_reg moves nothing and is left out.
// All kernels assign. Deterministic: fixed blocks, group reductions, no atomics. NaN is not hidden.
#pragma once

#include "kernels/device/row_functions.hpp"
#include "kernels/prototype_loss_config.hpp"

namespace opencd::kernels {

/// One work-group in all: the weights w. All are 1 unless `labelled_share` is 0 or more; then labelled
/// rows have that share of the mean together, and the others the rest.
struct RowWeights {
  const std::int32_t* labels;
  float* row_weights;
  int rows;
  float labelled_share;

  void operator()(sycl::nd_item<1> item) const {
    int count = 0;
    for_each_column(item, rows, [&](int i) { count += labels[i] >= 0 ? 1 : 0; });
    const int labelled = sum_over_group(item, count);
    const int others = rows - labelled;
    const bool alike = labelled_share < 0.0f || labelled == 0 || others == 0;
    const auto all = static_cast<float>(rows);
    const float of_labelled = alike ? 1.0f : labelled_share * all / static_cast<float>(labelled);
    const float of_others =
        alike ? 1.0f : (1.0f - labelled_share) * all / static_cast<float>(others);
    for_each_column(item, rows,
                    [&](int i) { row_weights[i] = labels[i] >= 0 ? of_labelled : of_others; });
  }
};
OPENCD_KERNEL(RowWeights, 1)

/// What one anchor adds to the sums, and what the gradients need of it again.
struct AnchorTerms {
  float proto;
  float group;
  float ce;
  float inner;                // <p, v>, at least kLeastSimilarity
  float inv_squares;          // 1 / |p|^2
  float partner_inv_squares;  // 1 / |v|^2
  float label_share;          // q_y of a labelled anchor
  std::int32_t clamped;       // whether <p, v> was below kLeastSimilarity
};

/// One work-group an anchor. A label outside the groups makes L_ce NaN.
struct PrototypeAnchors {
  const float* p1;
  const float* p2;
  const std::int32_t* partners;
  const std::int32_t* labels;
  const std::int32_t* members;
  const std::int32_t* starts;
  AnchorTerms* terms;
  float* diff_q;  // B x G: of the anchor's L_group by its q
  float* diff_r;  // B x G: and by the r it was compared with
  int prototypes;
  int groups;
  LossForm form;

  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = row_of(item);
    const auto t = static_cast<std::size_t>(partners[i]);
    AnchorTerms result{};
    compare_prototypes(item, p1 + i * prototypes, p2 + t * prototypes, result);
    compare_groups(item, p1 + i * prototypes, p2 + (form == LossForm::paper ? t : i) * prototypes,
                   result);
    if (item.get_local_id(0) == 0) terms[i] = result;
  }

  void compare_prototypes(const sycl::nd_item<1>& item,
                          const float* p,
                          const float* v,
                          AnchorTerms& result) const {
    float inner = 0.0f, squares = 0.0f, partner_squares = 0.0f;
    for_each_column(item, prototypes, [&](int k) {
      inner += p[k] * v[k];
      squares += p[k] * p[k];
      partner_squares += v[k] * v[k];
    });
    inner = sum_over_group(item, inner);
    squares = sum_over_group(item, squares);
    partner_squares = sum_over_group(item, partner_squares);
    result.clamped = inner < kLeastSimilarity ? 1 : 0;
    result.inner = at_least(inner, kLeastSimilarity);
    result.inv_squares = 1.0f / squares;
    result.partner_inv_squares = 1.0f / partner_squares;
    result.proto = -sycl::log(result.inner);
    if (form == LossForm::paper)
      result.proto += 0.5f * (sycl::log(squares) + sycl::log(partner_squares));
  }

  void compare_groups(const sycl::nd_item<1>& item,
                      const float* p,
                      const float* other,
                      AnchorTerms& result) const {
    const std::size_t start = row_of(item) * groups;
    const std::int32_t label = labels[row_of(item)];
    const float c = form == LossForm::paper ? 1.0f : 0.5f;
    float sum = 0.0f, share = 0.0f;
    for_each_column(item, groups, [&](int g) {
      const float q = sum_of_group(p, members, starts, g);
      const float r = sum_of_group(other, members, starts, g);
      const float log_q = sycl::log(q + kGroupEpsilon);
      const float log_r = sycl::log(r + kGroupEpsilon);
      sum -= c * (r * log_q + q * log_r);
      diff_q[start + g] = -c * (r / (q + kGroupEpsilon) + log_r);
      diff_r[start + g] = -c * (q / (r + kGroupEpsilon) + log_q);
      share += g == label ? q : 0.0f;
    });
    result.group = sum_over_group(item, sum);
    share = sum_over_group(item, share);
    if (label >= groups) share = std::numeric_limits<float>::quiet_NaN();
    result.label_share = share;
    result.ce = label >= 0 ? -sycl::log(share + kGroupEpsilon) : 0.0f;
  }
};
OPENCD_KERNEL(PrototypeAnchors, 1)

/// One work-group in all: the means, L_reg, the total; pull_k = log(m_k / prior_k) + 1, L_reg by m.
struct PrototypeSummary {
  const AnchorTerms* terms;
  const std::int32_t* labels;
  const float* mean;  // m
  const float* prior;
  float* pull;
  PrototypeLossRecord* record;
  int anchors;
  int prototypes;
  PrototypeLossWeights weights;

  void operator()(sycl::nd_item<1> item) const {
    float proto = 0.0f, group = 0.0f, ce = 0.0f;
    std::int32_t labelled = 0, clamped = 0;
    for_each_column(item, anchors, [&](int i) {
      proto += terms[i].proto;
      group += terms[i].group;
      ce += terms[i].ce;
      labelled += labels[i] >= 0 ? 1 : 0;
      clamped += terms[i].clamped;
    });
    float reg = 0.0f;
    for_each_column(item, prototypes, [&](int k) {
      const float ratio = sycl::log(at_least(mean[k], kLeastSimilarity) / prior[k]);
      reg += mean[k] * ratio;
      pull[k] = ratio + 1.0f;
    });
    PrototypeLossRecord sums;
    sums.proto = sum_over_group(item, proto) / static_cast<float>(anchors);
    sums.group = sum_over_group(item, group) / static_cast<float>(anchors);
    sums.reg = sum_over_group(item, reg);
    sums.labelled = sum_over_group(item, labelled);
    sums.ce = sum_over_group(item, ce) / static_cast<float>(sycl::max(sums.labelled, 1));
    sums.clamped = sum_over_group(item, clamped);
    sums.total = weights.proto * sums.proto + weights.group * sums.group + weights.reg * sums.reg +
                 weights.ce * sums.ce;
    if (item.get_local_id(0) == 0) *record = sums;
  }
};
OPENCD_KERNEL(PrototypeSummary, 1)

}  // namespace opencd::kernels
