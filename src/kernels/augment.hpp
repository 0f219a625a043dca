// Views of pictures for training: rows of bytes on the device become normalised f32 pictures on the
// device, by the stages that an AugmentConfig names. The random numbers of a view depend on (seed,
// epoch, row, view) alone: the same picture for any batch, number of threads and device.
#pragma once

#include "kernels/augment_plan.hpp"
#include "kernels/memory.hpp"
#include "kernels/scratch.hpp"
#include "kernels/strong_operation.hpp"

namespace opencd::kernels {

/// Pictures on the device: rows of bytes, height x width x channels, without gaps. A batch is a
/// list of row numbers. Where the whole set lies on the device, row r is at place r; where a batch
/// was gathered for it (row_stream.hpp), its i-th picture is at place i. Row numbers lie on the
/// device, so nobody checks them: they must be those of rows that are there.
struct Pictures {
  View<const std::uint8_t> pixels;
  PictureShape shape;
  bool gathered = false;
};

class Augmenter {
 public:
  /// Checks the configuration and builds its tables; `source` is the shape of the pictures.
  Augmenter(Device& device, const AugmentConfig& config, const PictureShape& source);

  /// The shape of a view.
  const PictureShape& shape() const { return view_; }
  const AugmentPlan& plan() const { return plan_; }
  /// What one call takes from the scratch memory for a batch of `rows` rows.
  std::size_t scratch_bytes(std::size_t rows) const;

  /// View `key.view` of every row: `dst` holds one view a row, channels x height x width (NCHW).
  /// Allocates nothing and does not wait.
  void augment(const Pictures& pictures,
               View<const std::int32_t> rows,
               const AugmentKey& key,
               Scratch& scratch,
               Rows<float> dst) const;

  /// The two halves of `augment`: the parameters of every row's view, and the views they describe.
  void draw_parameters(View<const std::int32_t> rows,
                       const AugmentKey& key,
                       View<AugmentParameters> dst) const;
  void render(const Pictures& pictures,
              View<const std::int32_t> rows,
              View<const AugmentParameters> parameters,
              Scratch& scratch,
              Rows<float> dst) const;

 private:
  /// A resample table on the device.
  struct DeviceTable {
    Buffer<std::int32_t> taps;
    Buffer<std::int32_t> entries;
    int block = 0;
    int pitch = 0;
  };
  static DeviceTable make_table(Device& device, int largest, int out);
  /// What a resized crop is between its two passes.
  PictureShape narrowed_shape() const { return {source_.height, row_table_.pitch, view_.channels}; }

  void crop(const Pictures& pictures,
            View<const std::int32_t> rows,
            View<const AugmentParameters> parameters,
            Scratch& scratch,
            View<std::uint8_t> dst) const;
  void blur(View<const AugmentParameters> parameters,
            Scratch& scratch,
            View<std::uint8_t> views) const;
  View<std::uint8_t> apply_strong(View<const AugmentParameters> parameters,
                                  Scratch& scratch,
                                  View<std::uint8_t> views) const;
  void finish(View<const std::uint8_t> views,
              View<const AugmentParameters> parameters,
              Rows<float> dst) const;

  Device& device_;
  AugmentConfig config_;
  PictureShape source_;
  PictureShape view_;
  AugmentPlan plan_;
  DeviceTable row_table_;     // along a row: to the view's width
  DeviceTable column_table_;  // along a column: to the view's height
  Buffer<std::uint32_t> blur_table_;
  Buffer<StrongOperation> strong_table_;
};

}  // namespace opencd::kernels
