#include "opencd/feature_reader.hpp"

namespace opencd {

FeatureReader::FeatureReader(nn::Model& model,
                             const nn::ResNet& encoder,
                             const DevicePictures& pictures,
                             std::size_t block)
    : model_(model),
      encoder_(encoder),
      batches_(pictures, block),
      features_(model.device(),
                block * static_cast<std::size_t>(encoder.config().feature_count())) {}

void FeatureReader::read(std::span<const std::uint32_t> rows,
                         const kernels::Augmenter& augmenter,
                         const kernels::AugmentKey& key,
                         const Take& take) {
  if (rows.empty()) return;
  kernels::Device& device = model_.device();
  const std::size_t block = batches_.batch();
  const kernels::PictureShape& view = augmenter.shape();
  if (images_.size() < block * view.size())
    images_ = kernels::Buffer<float>(device, block * view.size());
  const std::size_t needed = augmenter.scratch_bytes(block);
  if (!scratch_ || scratch_->capacity() < needed) {
    scratch_.reset();
    scratch_.emplace(device, needed);
  }
  const kernels::Rows<float> images{images_.data(), block, view.size()};
  const std::size_t columns = features_.size() / block;
  const nn::Shape shape{static_cast<std::int64_t>(block), view.channels, view.height, view.width};

  batches_.plan({rows.begin(), rows.end()});
  for (std::size_t i = 0; i < batches_.batches(); ++i) {
    const kernels::StreamedBatch batch = batches_.at(i);
    augmenter.augment(batch.pictures, batch.rows, key, *scratch_, images);
    encoder_.infer(shape, images.flat(), features_.rows(block, columns));
    take(i * block, {features_.data(), batches_.planned(i), columns});
  }
}

}  // namespace opencd
