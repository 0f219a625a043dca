// How far a point of a t-SNE map goes in one iteration. Plain data for host and device.
#pragma once

namespace opencd::kernels {

struct TsneRates {
  float exaggeration = 1.0f;  // of the affinities
  float momentum = 0.8f;
  float learning_rate = 200.0f;
};

}  // namespace opencd::kernels
