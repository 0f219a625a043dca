#include "opencd/methods/feature_centres.hpp"

#include "error.hpp"
#include "kernels/check.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/normalize.hpp"
#include "nn/gemm.hpp"

#include <algorithm>

namespace opencd {

namespace {

constexpr double kTemperature = 0.1;  // of confidence and margin, as OpenNCD's

}  // namespace

FeatureCentres::FeatureCentres(const MethodContext& context,
                               const std::string& name,
                               std::size_t most)
    : context_(context),
      most_(most),
      centres_(context.model.parameters().add(
          {.name = name,
           .desc = nn::plain_desc({static_cast<std::int64_t>(most), context.features}),
           .role = nn::Role::frozen})) {}

void FeatureCentres::set(std::span<const float> centres) {
  const auto columns = static_cast<std::size_t>(context_.features);
  std::vector<float> values(most_ * columns, 0.0f);
  if (centres.size() > values.size() || centres.size() % columns != 0)
    fail<ShapeError>("[centres] expected at most {} centres of {} values, got {} values", most_,
                     columns, centres.size());
  std::copy(centres.begin(), centres.end(), values.begin());
  context_.model.parameters().write(centres_, values);
  count_ = centres.size() / columns;
}

std::vector<float> FeatureCentres::cosines(Rows<const float> features) const {
  if (count_ == 0) return {};
  const nn::Engine& engine = context_.model.engine();
  kernels::Device& device = engine.device();
  const Rows<const float> centres{centres_.value.data, count_, features.columns};
  const kernels::Buffer<float> units(device, features.size() + centres.size());
  const kernels::Buffer<float> norms(device, features.rows + count_);
  const kernels::Buffer<float> cosines(device, features.rows * count_);
  const Rows<float> rows{units.data(), features.rows, features.columns};
  const Rows<float> unit_centres{units.data() + rows.size(), count_, features.columns};
  kernels::normalize_rows(device, features, rows, norms.view().slice(0, features.rows));
  kernels::normalize_rows(device, centres, unit_centres, norms.view().slice(features.rows, count_));
  nn::gemm(engine, rows, unit_centres, cosines.rows(features.rows, count_),
           {.transpose_right = true});
  return kernels::to_host(device, cosines);
}

std::vector<Prediction> FeatureCentres::predict(Rows<const float> features) const {
  std::vector<Prediction> result(features.rows);
  const std::vector<float> host = cosines(features);
  if (host.empty()) return result;
  const Grouping grouping = single_groups(count_);
  for (std::size_t row = 0; row < features.rows; ++row)
    result[row] =
        predict_from_cosines(std::span(host).subspan(row * count_, count_), grouping, kTemperature);
  return result;
}

kernels::Buffer<float> unit_features(const MethodContext& context,
                                     TrainingFeatures& features,
                                     std::span<const std::uint32_t> rows) {
  kernels::Device& device = context.model.device();
  const auto columns = static_cast<std::size_t>(context.features);
  kernels::Buffer<float> unit(device, rows.size() * columns);
  features.read(rows, false, [&](std::size_t first, Rows<const float> block) {
    kernels::copy(device, block.flat(), unit.view().slice(first * columns, block.size()));
  });
  const kernels::Buffer<float> norms(device, rows.size());
  kernels::normalize_rows(device, unit.rows(rows.size(), columns), unit.rows(rows.size(), columns),
                          norms);
  return unit;
}

}  // namespace opencd
