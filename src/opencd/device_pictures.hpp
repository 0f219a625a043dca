// The pictures of a set as a device works on them, batch by batch. Where the set fits, it lies on the
// device as a whole; a larger one streams through two blocks.
#pragma once

#include "data/image_set.hpp"
#include "kernels/row_stream.hpp"

#include <optional>
#include <span>
#include <vector>

namespace opencd {

/// As kernels see a picture of the set.
kernels::PictureShape picture_shape(const data::ImageShape& shape);

/// Pictures stay on the device while they take no more than half of the memory that is free.
std::size_t resident_limit(const kernels::Device& device);

class DevicePictures {
 public:
  /// `rows` must outlive this. The pictures stay on the device if they take at most
  /// `resident_bytes`.
  DevicePictures(kernels::Device& device,
                 const data::ImageRows& rows,
                 const data::ImageShape& shape,
                 std::size_t resident_bytes);

  kernels::Device& device() const { return device_; }
  std::size_t size() const { return rows_.size(); }
  const kernels::PictureShape& shape() const { return shape_; }
  bool resident() const { return resident_.size() != 0; }
  kernels::Pictures on_device() const { return {resident_.view(), shape_}; }
  std::span<const std::uint8_t> row(std::int32_t row) const;

 private:
  kernels::Device& device_;
  const data::ImageRows& rows_;
  kernels::PictureShape shape_;
  kernels::Buffer<std::uint8_t> resident_;
};

/// Batches of one size, in an order that is announced beforehand: one copy of row numbers to the
/// device instead of many.
class PictureBatches {
 public:
  PictureBatches(const DevicePictures& pictures, std::size_t batch);

  std::size_t batch() const { return batch_; }
  void plan(std::vector<std::int32_t> rows);
  std::size_t batches() const { return (planned_ + batch_ - 1) / batch_; }
  /// Rows of batch `index` that were planned.
  std::size_t planned(std::size_t index) const;
  /// Batch `index` of the plan; a last incomplete one is filled up with its first row. Batches of a
  /// streamed set are to be asked for in order.
  kernels::StreamedBatch at(std::size_t index);
  std::span<const std::int32_t> rows_at(std::size_t index) const;

 private:
  const DevicePictures& pictures_;
  std::size_t batch_;
  std::optional<kernels::RowStream> stream_;
  std::size_t planned_ = 0;
  std::vector<std::int32_t> order_;          // planned rows, filled up to whole batches
  kernels::Buffer<std::int32_t> on_device_;  // the same
};

}  // namespace opencd
