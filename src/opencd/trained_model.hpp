// A trained model at work: the groups and the features of pictures it has never seen. Made from a
// checkpoint alone; nothing of it can be trained.
#pragma once

#include "opencd/feature_reader.hpp"
#include "opencd/saved_model.hpp"

#include <functional>
#include <memory>

namespace opencd {

struct TrainedModelOptions {
  std::size_t block = 256;  // pictures at a time
  bool deterministic = false;
};

/// What a model makes of rows, one below the other.
struct RowFeatures {
  std::size_t columns = 0;            // of `features`
  std::size_t embedding_columns = 0;  // of `embeddings`
  std::vector<float> features;        // of the encoder
  std::vector<float> embeddings;      // unit rows, where the method compares: in a space of its own
                                      // or in that of the features
  std::vector<Prediction> predictions;

  std::span<const float> embedding(std::size_t row) const {
    return std::span(embeddings).subspan(row * embedding_columns, embedding_columns);
  }
};

class TrainedModel {
 public:
  /// Told how many rows are done, block by block.
  using Progress = std::function<void(std::size_t)>;

  TrainedModel(const nn::Engine& engine,
               const SavedModel& saved,
               const TrainedModelOptions& options = {});
  TrainedModel(const TrainedModel&) = delete;
  TrainedModel& operator=(const TrainedModel&) = delete;

  const ModelDescription& description() const { return description_; }
  GroupCount groups() const { return method_->groups(); }
  const nn::ParameterSet& parameters() const { return model_.parameters(); }

  /// FormatError unless pictures of `shape` are what the model was trained for; `name` is theirs.
  void require_shape(const data::ImageShape& shape, const std::string& name) const;

  /// The groups of the rows `numbers`, or of all rows, of pictures that have the model's shape.
  std::vector<Prediction> predict(const data::ImageRows& rows,
                                  std::span<const std::uint32_t> numbers,
                                  const Progress& progress = {});
  std::vector<Prediction> predict(const data::ImageRows& rows, const Progress& progress = {});

  /// Features and groups, in the same way.
  RowFeatures features(const data::ImageRows& rows,
                       std::span<const std::uint32_t> numbers,
                       const Progress& progress = {});
  RowFeatures features(const data::ImageRows& rows, const Progress& progress = {});

 private:
  void read(const data::ImageRows& rows,
            std::span<const std::uint32_t> numbers,
            const FeatureReader::Take& take,
            const Progress& progress);

  ModelDescription description_;
  std::size_t block_;
  nn::Model model_;
  nn::ResNet encoder_;
  std::unique_ptr<Method> method_;
  kernels::Augmenter augmenter_;
};

}  // namespace opencd
