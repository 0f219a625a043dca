// OpenNCD and opencd+ on feature vectors: how many prototypes, how wide a head, which stages, from what is
// known before anything is learned. Neither the paper nor the authors' program says anything about
// features; these were chosen on planted classes and on features of real pictures (docs/RESULTS.md).
#pragma once

#include "opencd/feature_trainer.hpp"
#include "opencd/methods/open_ncd_config.hpp"

namespace opencd {

struct DiscoverySettings {
  FeatureTrainerConfig trainer;
  OpenNcdConfig method;
};

struct DiscoveryTask {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t known = 0;    // known classes
  std::size_t classes = 0;  // all classes; 0: unknown
  std::int64_t epochs = 20;
  double learning_rate = 2e-3;
  double lambda_reg = 4.0;      // not 10: the classes of users are seldom of equal size
  double labelled_share = 0.0;  // of a batch at least; 0: labelled rows come as the others do
  bool plus = true;             // opencd+'s way to group and to count, else OpenNCD's
};

/// Five prototypes a class where the number of classes is known; else a number that grows with the
/// known classes and the rows. Groups are made once the features have settled, and stay for the last
/// third.
DiscoverySettings discovery_settings(const DiscoveryTask& task);

}  // namespace opencd
