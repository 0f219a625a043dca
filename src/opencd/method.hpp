// A method of open-world learning as the trainer sees it: a function from the features of two views
// to losses and their gradient. The encoder, the data, the optimizer, checkpoints and scores are the
// trainer's; everything between features and groups is the method's. New methods need no new layer
// and no change of the trainer.
//
// A method is built beside the encoder, in the same Model: its constructor registers heads and
// prototypes as parameters. `allocate` follows once the memory of all parameters is there.
#pragma once

#include "kernels/memory.hpp"
#include "nn/model.hpp"
#include "opencd/prediction.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace opencd {

using kernels::Rows;
using kernels::View;
using Json = nlohmann::ordered_json;

/// What a method is told when it is built.
struct MethodContext {
  nn::Model& model;
  std::int64_t features = 0;  // that the encoder delivers
  std::int64_t batch = 0;     // rows of a step
  std::size_t known = 0;      // known classes
  std::size_t classes = 0;    // all classes; 0: unknown
  std::uint32_t seed = 0;
  std::int64_t epochs = 0;   // that training will take; 0 where nothing is trained
  std::size_t rows = 0;      // of the training set; 0 where nothing is trained
  std::size_t labelled = 0;  // of them, those whose label is given

  /// A buffer as a matrix with a row for every picture of a batch.
  Rows<float> batch_rows(const kernels::Buffer<float>& buffer) const {
    const auto count = static_cast<std::size_t>(batch);
    return buffer.rows(count, buffer.size() / count);
  }
};

/// One step: both views of a batch.
struct MethodStep {
  std::array<Rows<const float>, 2> features;
  std::array<Rows<float>, 2> diff_features;  // assigned by the method
  View<const std::int32_t> labels;           // known class of every row; negative: unlabelled
  View<const std::int32_t> rows;             // their numbers in the training set
  std::uint32_t epoch = 0;
  std::uint32_t step = 0;  // of the whole run
  double progress = 0.0;   // share of the whole run that is done
};

/// What a method remembers of every training row, a matrix on the device.
struct RowMemory {
  std::string name;
  Rows<float> values;
};

/// Features of training rows, for what a method does between epochs.
class TrainingFeatures {
 public:
  virtual ~TrainingFeatures() = default;

  /// The class of every training row whose label is given; negative elsewhere.
  virtual std::span<const std::int32_t> labels() const = 0;
  /// Whether the features mean something before the first step: they are somebody's, or the encoder
  /// learned before.
  virtual bool pretrained() const = 0;

  /// Hands out the features of `rows`, evaluated with running statistics, block by block: `first` is
  /// the place of a block's first row in `rows`. With `augmented` the pictures are the first training
  /// view of the epoch, else the pictures as they are.
  using Take = std::function<void(std::size_t first, Rows<const float> features)>;
  virtual void read(std::span<const std::uint32_t> rows, bool augmented, const Take& take) = 0;
};

class Method {
 public:
  virtual ~Method() = default;

  /// Takes memory for steps of `batch` rows; after Model::allocate.
  virtual void allocate() = 0;
  /// Activations that a step keeps, for the memory plan.
  virtual std::size_t activation_bytes() const { return 0; }

  /// Of the method's own parameters, which lie at `own` in the trained range, those that an epoch
  /// trains; ascending. No step may add to the gradient of others.
  virtual std::vector<nn::ParameterRange> trained(std::uint32_t /*epoch*/,
                                                  const nn::ParameterRange& own) const {
    return {own};
  }

  /// What comes before the steps of an epoch, such as grouping. Once an epoch; not again after a
  /// resume in its middle. Reading features may end with Interrupted: then it comes again after a
  /// resume, from whatever it has changed so far, and must come to the same.
  virtual void begin_epoch(std::uint32_t epoch, TrainingFeatures& features) = 0;
  /// What comes after the last epoch.
  virtual void finish(TrainingFeatures& features) = 0;

  /// Losses and gradients of a batch. Asynchronous; allocates nothing.
  virtual void step(const MethodStep& step) = 0;
  /// The losses of the last step by name, the weighted total ("loss") first. Waits for that step.
  virtual std::vector<std::pair<std::string, double>> losses() = 0;
  /// All names that `losses` and `figures` may use.
  virtual std::vector<std::string> metric_names() const = 0;
  /// What is worth recording once an epoch, such as the number of groups.
  virtual std::vector<std::pair<std::string, double>> figures() const { return {}; }

  /// The groups of evaluated features.
  virtual std::vector<Prediction> predict(Rows<const float> features) = 0;
  virtual GroupCount groups() const = 0;

  /// The space in which the method compares rows: how many columns it has (0: none of its own), and
  /// evaluated features as unit rows of it.
  virtual std::size_t embedding_columns() const { return 0; }
  virtual void embed(Rows<const float> /*features*/, Rows<float> /*unit*/) {}

  /// What a checkpoint keeps besides parameters; "groups" is how many group numbers there are, if the
  /// method has groups. `restore` throws FormatError if it does not fit.
  virtual Json state() const = 0;
  virtual void restore(const Json& state) = 0;
  /// What is too large for that: needed to go on training, not to predict. Read before a checkpoint
  /// and overwritten after one is restored.
  virtual std::vector<RowMemory> row_memory() const { return {}; }
};

}  // namespace opencd
