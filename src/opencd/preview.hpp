// Rows of a data set beside the views that training would make of them, on one page for a person.
#pragma once

#include "data/contact_sheet.hpp"
#include "data/image_set.hpp"
#include "kernels/augment.hpp"

#include <cstdint>

namespace opencd {

struct PreviewOptions {
  std::size_t rows = 16;  // spread evenly over the training rows
  std::uint32_t views = 4;
  std::uint32_t seed = 2023;
  std::uint32_t epoch = 0;
  std::size_t columns = 2;  // lines side by side
};

/// Every line shows a row as it is, then its views, as the kernels of training make them.
data::Picture preview_views(kernels::Device& device,
                            const data::ImageSet& set,
                            const kernels::AugmentConfig& config,
                            const PreviewOptions& options);

}  // namespace opencd
