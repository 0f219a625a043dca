// The forward pass of a residual network, or of its first stages, with all batch norms folded: no
// statistics, nothing kept, three temporaries. The fast path of prediction and of frozen stages.
#pragma once

#include "nn/folded.hpp"
#include "nn/pool2d.hpp"
#include "nn/residual_block.hpp"

#include <memory>

namespace opencd::nn {

class Inference {
 public:
  /// The stem and the blocks to run; all must outlive this. `max_pool`: the pool after the stem.
  Inference(Model& model,
            const ConvNorm& stem,
            const std::optional<Pool2dConfig>& max_pool,
            const std::deque<ResidualBlock>& blocks);

  /// Builds the primitives for pictures of this shape, once; returns the layout after the last
  /// block.
  Desc prepare(const Shape& images);
  /// Takes over the present weights and statistics, if `version` differs from that of last time.
  void fold(std::uint64_t version);

  /// Temporaries that a pass takes from the model's scratch memory.
  std::size_t temporary_bytes() const { return temporary_bytes_; }

  /// Plain NCHW pictures of a prepared shape to the output of the last block, in its layout.
  void run_stages(const Shape& images, View<const float> src, View<float> dst);
  /// The same to the mean of every channel.
  void run_pooled(const Shape& images, View<const float> src, Rows<float> dst);

 private:
  struct BlockPlan {
    std::optional<FoldedConv::Step> shortcut;
    std::vector<FoldedConv::Step> main;
  };
  struct Plan {
    Desc images;
    FoldedConv::Step stem;
    std::optional<Pool2d> max_pool;
    std::vector<BlockPlan> blocks;
    std::optional<GlobalAveragePool> pool;
    std::size_t floats = 0;  // of the largest activation
  };
  struct FoldedBlock {
    std::optional<FoldedConv> shortcut;
    std::vector<FoldedConv> main;
  };

  Plan make_plan(const Shape& images);
  const Plan& plan(const Shape& images) const;
  View<float> run(const Plan& plan, View<const float> src, TemporaryPool& pool);
  View<float> run_block(const FoldedBlock& block,
                        const BlockPlan& plan,
                        View<float> src,
                        TemporaryPool& pool) const;

  Model& model_;
  std::optional<Pool2dConfig> max_pool_;
  FoldedConv stem_;
  std::vector<FoldedBlock> blocks_;
  std::vector<std::pair<Shape, std::unique_ptr<Plan>>> plans_;
  std::uint64_t folded_version_ = 0;
  std::size_t temporary_bytes_ = 0;
};

}  // namespace opencd::nn
