#include "opencd/counting/dipdeck.hpp"

#include "data/batches.hpp"
#include "error.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/feature_views.hpp"
#include "opencd/counting/dip_clusters.hpp"
#include "opencd/counting/dipdeck_loss.hpp"
#include "opencd/counting/distances.hpp"
#include "opencd/kmeans.hpp"
#include "opencd/watched_optimizer.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace opencd {

namespace {

using kernels::Buffer;
using kernels::Rows;

constexpr std::uint64_t kAllRows = 3;  // stream of the epoch order
constexpr std::size_t kBlock = 2048;   // rows embedded at a time
constexpr int kStarts = 10;            // of k-means in the embedding

/// The autoencoder and its steps. A pass takes rows of data and, in the second stage, the rows that
/// are centres behind them, so that gradients reach both.
class DipDeckNetwork {
 public:
  DipDeckNetwork(const nn::Engine& engine, Rows<const float> rows, const DipDeckOptions& options)
      : rows_(rows),
        options_(options),
        batch_(std::min<std::size_t>(static_cast<std::size_t>(options.batch), rows.rows)),
        pass_(batch_ + options.clusters),
        model_(engine, {.deterministic = options.deterministic}),
        network_(model_,
                 {.features = static_cast<std::int64_t>(rows.columns),
                  .hidden = options.hidden,
                  .embedding = options.embedding},
                 static_cast<std::int64_t>(pass_)),
        saved_(network_.make_saved()),
        chosen_(engine.device(), pass_),
        src_(engine.device(), pass_ * rows.columns),
        diff_embedded_(engine.device(), pass_ * columns()),
        diff_reconstructed_(engine.device(), pass_ * rows.columns) {
    model_.allocate();
    initialise(model_.parameters(), options.seed);
  }

  std::size_t columns() const { return static_cast<std::size_t>(options_.embedding); }
  std::size_t steps_per_epoch() const { return (rows_.rows + batch_ - 1) / batch_; }

  /// Adam starts anew.
  void begin_stage(double rate) {
    optimizer_.emplace(model_, nn::OptimizerConfig{.kind = nn::OptimizerKind::adam});
    rate_ = rate;
  }

  /// An epoch of reconstruction alone.
  void pretrain_epoch() {
    plan_epoch(pass_);
    for (std::size_t step = 0; step < steps_per_epoch(); ++step) {
      run_pass(rows_of_step(step, pass_), {});
      reconstruct(pass_);
      finish_step({});
    }
  }

  /// An epoch of reconstruction and clusters. `by_labels`: rows keep the cluster they have, else
  /// they follow the nearest centre.
  void cluster_epoch(const DipClusters& clusters, bool by_labels) {
    plan_epoch(batch_);
    const std::vector<double> belonging = clusters.belonging();
    for (std::size_t step = 0; step < steps_per_epoch(); ++step) {
      const std::vector<std::int32_t> rows = rows_of_step(step, batch_);
      run_pass(rows, clusters.centre_rows());
      reconstruct(batch_);
      const std::vector<float> embedded = to_host(device(), network_.embedded(saved_).flat());
      const auto own = std::span(embedded).first(batch_ * columns());
      const auto centres = std::span(embedded).subspan(own.size(), clusters.count() * columns());
      std::vector<std::int32_t> cluster_of = nearest_centres(own, centres, columns());
      if (by_labels)
        for (std::size_t i = 0; i < rows.size(); ++i)
          cluster_of[i] = clusters.cluster_of()[static_cast<std::size_t>(rows[i])];
      const DipDeckLoss loss = dipdeck_loss({own, centres, columns(), cluster_of, belonging});
      std::vector<float> diff(pass_ * columns(), 0.0f);
      std::copy(loss.diff_rows.begin(), loss.diff_rows.end(), diff.begin());
      std::copy(loss.diff_centres.begin(), loss.diff_centres.end(),
                diff.begin() + static_cast<std::ptrdiff_t>(own.size()));
      kernels::copy_to_device<float>(device(), diff, diff_embedded_);
      finish_step(diff_embedded_.rows(pass_, columns()));
    }
  }

  /// All rows, embedded.
  Buffer<float> embed() const {
    Buffer<float> embedded(device(), rows_.rows * columns());
    for (std::size_t first = 0; first < rows_.rows; first += kBlock) {
      const std::size_t count = std::min(kBlock, rows_.rows - first);
      network_.encode({rows_.data + first * rows_.columns, count, rows_.columns},
                      {embedded.data() + first * columns(), count, columns()});
    }
    return embedded;
  }

 private:
  kernels::Device& device() const { return model_.device(); }

  /// Steps of `rows` rows each; who comes to the end of a pass over all rows begins another one.
  void plan_epoch(std::size_t rows) {
    std::vector<std::uint32_t> all(rows_.rows);
    std::iota(all.begin(), all.end(), 0U);
    order_.clear();
    while (order_.size() < rows * steps_per_epoch()) {
      const auto shuffled = data::shuffled(all, options_.seed, passes_++, kAllRows);
      order_.insert(order_.end(), shuffled.begin(), shuffled.end());
    }
  }

  std::vector<std::int32_t> rows_of_step(std::size_t step, std::size_t rows) const {
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(step * rows);
    return {first, first + static_cast<std::ptrdiff_t>(rows)};
  }

  void run_pass(std::vector<std::int32_t> rows, const std::vector<std::size_t>& centres) {
    for (const std::size_t centre : centres) rows.push_back(static_cast<std::int32_t>(centre));
    rows.resize(pass_, 0);  // places of clusters that are no more: without a gradient
    kernels::copy_to_device<std::int32_t>(device(), rows, chosen_);
    kernels::feature_views(device(), rows_, chosen_, src(), {}, {});
    network_.forward(src(), saved_);
  }

  /// The gradient of the mean squared error of the first `rows` rows.
  void reconstruct(std::size_t rows) {
    const std::size_t count = rows * rows_.columns;
    const kernels::View<float> diff = diff_reconstructed_.view();
    kernels::fill(device(), diff, 0.0f);
    const kernels::View<float> used = diff.slice(0, count);
    kernels::copy(device(), network_.reconstructed(saved_).flat().slice(0, count), used);
    kernels::axpy(device(), -1.0f, src_.view().slice(0, count), used);
    kernels::scale(device(), used, 2.0f / static_cast<float>(count));
  }

  void finish_step(Rows<const float> diff_embedded) {
    network_.backward(src(), diff_embedded, diff_reconstructed_.rows(pass_, rows_.columns), saved_);
    if (optimizer_->bad_entries() != 0)
      fail<NonFiniteError>("[dipdeck] the gradient of the autoencoder is not finite");
    optimizer_->step(rate_);
  }

  Rows<float> src() const { return src_.rows(pass_, rows_.columns); }

  Rows<const float> rows_;
  DipDeckOptions options_;
  std::size_t batch_;
  std::size_t pass_;  // rows of a pass
  nn::Model model_;
  nn::Autoencoder network_;
  nn::Saved saved_;
  std::optional<WatchedOptimizer> optimizer_;
  double rate_ = 0.0;
  std::uint32_t passes_ = 0;  // over all rows so far, for the shuffles
  std::vector<std::int32_t> order_;
  Buffer<std::int32_t> chosen_;
  Buffer<float> src_;
  Buffer<float> diff_embedded_;
  Buffer<float> diff_reconstructed_;
};

DipClusters first_clusters(const nn::Engine& engine,
                           const DipDeckNetwork& network,
                           std::size_t rows,
                           const DipDeckOptions& options) {
  const Buffer<float> embedded = network.embed();
  const std::size_t clusters = std::min(options.clusters, rows);
  const KMeansResult found =
      kmeans(engine, embedded.rows(rows, network.columns()),
             {.clusters = clusters, .starts = kStarts, .seed = options.seed});
  return {to_host(engine.device(), embedded), network.columns(), found.cluster_of, clusters};
}

}  // namespace

DipDeckResult dipdeck(const nn::Engine& engine,
                      Rows<const float> rows,
                      const DipDeckOptions& options,
                      const CountingWatch& watch) {
  DipDeckNetwork network(engine, rows, options);
  network.begin_stage(options.pretrain_rate);
  for (std::int64_t epoch = 0; epoch < options.pretrain_epochs; ++epoch) {
    watch("autoencoder, epoch", static_cast<std::size_t>(epoch),
          static_cast<std::size_t>(options.pretrain_epochs));
    network.pretrain_epoch();
  }
  DipClusters clusters = first_clusters(engine, network, rows.rows, options);
  network.begin_stage(options.rate);
  std::int64_t epoch = 0;  // since the last merge
  while (epoch < options.epochs && clusters.count() > 1) {
    watch(fmt::format("{} clusters, epoch", clusters.count()), static_cast<std::size_t>(epoch),
          static_cast<std::size_t>(options.epochs));
    network.cluster_epoch(clusters, epoch == 0);
    clusters.follow(to_host(engine.device(), network.embed()));
    epoch = clusters.merge_alike(options.merge_threshold) > 0 ? 0 : epoch + 1;
  }
  DipDeckResult result{clusters.cluster_of(), clusters.embedded(), {}};
  for (const std::size_t row : clusters.centre_rows()) {
    const auto centre =
        std::span(result.embedded).subspan(row * network.columns(), network.columns());
    result.centres.insert(result.centres.end(), centre.begin(), centre.end());
  }
  return result;
}

}  // namespace opencd
