// Centres of clusters in the space of unit features: what methods that end in k-means predict by. A
// row belongs to the centre of the largest cosine.
#pragma once

#include "opencd/method.hpp"

namespace opencd {

class FeatureCentres {
 public:
  /// Registers room for `most` centres, called `name`, that a checkpoint keeps.
  FeatureCentres(const MethodContext& context, const std::string& name, std::size_t most);

  /// One below the other, at most as many as there is room for.
  void set(std::span<const float> centres);
  /// How many of the centres are in use; `set` says so itself.
  void set_count(std::size_t count) { count_ = count; }
  std::size_t count() const { return count_; }
  std::size_t most() const { return most_; }

  /// rows x count, on the host.
  std::vector<float> cosines(Rows<const float> features) const;
  /// The centres as groups.
  std::vector<Prediction> predict(Rows<const float> features) const;

 private:
  MethodContext context_;
  std::size_t most_;
  std::size_t count_ = 0;
  nn::Parameter& centres_;
};

/// The features of `rows`, as pictures without augmentation, as unit rows on the device.
kernels::Buffer<float> unit_features(const MethodContext& context,
                                     TrainingFeatures& features,
                                     std::span<const std::uint32_t> rows);

}  // namespace opencd
