#include "opencd/device_pictures.hpp"

#include "error.hpp"

#include <algorithm>

namespace opencd {

kernels::PictureShape picture_shape(const data::ImageShape& shape) {
  return {static_cast<int>(shape.height), static_cast<int>(shape.width),
          static_cast<int>(shape.channels)};
}

std::size_t resident_limit(const kernels::Device& device) {
  const kernels::MemoryUse memory = device.memory();
  return (memory.limit - std::min(memory.used, memory.limit)) / 2;
}

DevicePictures::DevicePictures(kernels::Device& device,
                               const data::ImageRows& rows,
                               const data::ImageShape& shape,
                               std::size_t resident_bytes)
    : device_(device), rows_(rows), shape_(picture_shape(shape)) {
  const std::span<const std::uint8_t> pixels = rows.pixels.view();
  if (pixels.size() > resident_bytes) return;
  resident_ = kernels::Buffer<std::uint8_t>(device, pixels.size());
  kernels::copy_to_device<std::uint8_t>(device, pixels, resident_.view());
}

std::span<const std::uint8_t> DevicePictures::row(std::int32_t row) const {
  return rows_.pixels.view().subspan(static_cast<std::size_t>(row) * shape_.size(), shape_.size());
}

PictureBatches::PictureBatches(const DevicePictures& pictures, std::size_t batch)
    : pictures_(pictures), batch_(batch) {
  if (pictures.resident()) return;
  stream_.emplace(pictures.device(), pictures.shape(), batch,
                  [&pictures](std::int32_t row, std::span<std::uint8_t> dst) {
                    const auto src = pictures.row(row);
                    std::copy(src.begin(), src.end(), dst.begin());
                  });
}

void PictureBatches::plan(std::vector<std::int32_t> rows) {
  if (rows.empty()) fail<ShapeError>("[pictures] expected a plan of at least one row");
  planned_ = rows.size();
  order_ = std::move(rows);
  const std::int32_t first_of_last = order_[(batches() - 1) * batch_];
  order_.resize(batches() * batch_, first_of_last);
  if (stream_) return;
  kernels::Device& device = pictures_.device();
  if (on_device_.size() < order_.size())
    on_device_ = kernels::Buffer<std::int32_t>(device, order_.size());
  kernels::copy_to_device<std::int32_t>(device, order_, on_device_.view().slice(0, order_.size()));
}

std::size_t PictureBatches::planned(std::size_t index) const {
  return std::min(batch_, planned_ - index * batch_);
}

std::span<const std::int32_t> PictureBatches::rows_at(std::size_t index) const {
  return std::span(order_).subspan(index * batch_, batch_);
}

kernels::StreamedBatch PictureBatches::at(std::size_t index) {
  if (stream_) return stream_->next(rows_at(index));
  return {pictures_.on_device(), on_device_.view().slice(index * batch_, batch_)};
}

}  // namespace opencd
