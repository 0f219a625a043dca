// The counters that OpenNCD is compared with: how many classes are there in rows of features,
// without a look at any label. They find clusters on the way, and those are the groups; labelled
// rows only say afterwards which group is which known class.
#pragma once

#include "opencd/counting/counting_watch.hpp"
#include "opencd/feature_trainer.hpp"
#include "opencd/prediction.hpp"

#include <string>
#include <vector>

namespace opencd {

struct CounterConfig {
  std::string counter;         // one of counter_names()
  std::size_t most = 0;        // classes; 0: xmeans 20, gmeans and gmeans-split 100, dipdeck 35
  std::size_t components = 0;  // principal ones to count in; 0: the features as they are
  std::int64_t autoencoder_epochs = 100;  // of DipDECK; half as many while clusters are merged
  std::uint32_t seed = 2023;
  bool deterministic = false;
};

/// Groups y below `known` are the known classes; `found` counts those that have rows.
struct CountedClasses {
  std::vector<Prediction> predictions;  // of all rows
  std::size_t found = 0;
  std::vector<float> centres;  // the mean features of every group, groups x columns; 0 without rows
};

/// xmeans, gmeans, gmeans-split, dipdeck.
std::vector<std::string> counter_names();

/// UsageError for an unknown counter, fewer than 2 rows and `most` below the known classes,
/// FormatError for rows that are all the same, NonFiniteError, which names the place, for numbers
/// that are not finite. Needs no device.
void check_countable(const LabelledFeatures& features, const CounterConfig& config);

/// The same features, settings and device give the same bits. A prediction's confidence is that of
/// spherical Gaussians of one variance about the centres, in the space where they were counted.
/// Throws what check_countable does.
CountedClasses count_classes(const nn::Engine& engine,
                             const LabelledFeatures& features,
                             const CounterConfig& config,
                             const CountingWatch& watch);

}  // namespace opencd
