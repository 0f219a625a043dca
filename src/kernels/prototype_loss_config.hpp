// What the losses of OpenNCD are told and what they leave on the device: shared by their kernels and
// by the host.
#pragma once

#include <cstdint>

namespace opencd::kernels {

/// The authors' program and their paper disagree; both are offered.
///   code   L_proto takes the inner product of the pair's probabilities. L_group compares the two
///          views of one picture, half of each direction.
///   paper  L_proto takes their cosine. L_group compares the positive pair, both directions whole.
enum class LossForm : std::int32_t { code, paper };

/// Factors of the four terms in the total; a term itself is recorded without its factor. The
/// authors' program multiplies the KL divergence of L_reg by ten; that ten stands here, as `reg`.
struct PrototypeLossWeights {
  float proto = 1.0f;
  float group = 1.0f;
  float reg = 10.0f;  // lambda_1 of the paper
  float ce = 1.0f;    // lambda_2 of the paper
};

struct PrototypeLossConfig {
  LossForm form = LossForm::code;
  PrototypeLossWeights weights;
  float temperature = 0.1f;  // tau of the softmax that made the probabilities
  /// What the labelled rows of a batch make up together of L_reg's mean, however many they are: their
  /// share of the training set, where batches hold more of them. Negative: every row counts alike.
  float labelled_share = -1.0f;
};

inline constexpr PrototypeLossConfig kCodeLosses{};
inline constexpr PrototypeLossConfig kPaperLosses{
    .form = LossForm::paper,
    .weights = {.proto = 1.0f, .group = 1.0f, .reg = 1.0f, .ce = 1.0f},
    .temperature = 0.1f};

/// What log(q + eps) adds in L_group and L_ce.
inline constexpr float kGroupEpsilon = 1e-8f;
/// The least inner product that L_proto divides by and takes the logarithm of, and the least mean
/// probability in L_reg. A softmax of cosines over tau >= 0.03 stays above it.
inline constexpr float kLeastSimilarity = 1e-30f;

/// One batch's losses.
struct PrototypeLossRecord {
  float proto = 0.0f;
  float group = 0.0f;
  float reg = 0.0f;
  float ce = 0.0f;
  float total = 0.0f;         // the weighted sum
  std::int32_t labelled = 0;  // anchors that L_ce is the mean of; 0: L_ce is 0
  std::int32_t clamped = 0;   // anchors whose inner product was below kLeastSimilarity
};

}  // namespace opencd::kernels
