// The features that the map is made of: a sample of the rows that were not labelled and the prototypes,
// in the space where the method compares, and their places in the plane. They are kept in the run and
// used again:
//   embeddings/features.npy   unit rows: the sample, then the prototypes
//   embeddings/tsne.npy       their places
//   embeddings/map.json       which rows and which checkpoint they are of
#pragma once

#include "cli/options.hpp"
#include "cli/report/feature_map.hpp"
#include "data/image_set.hpp"
#include "nn/engine.hpp"
#include "opencd/saved_model.hpp"
#include "opencd/tsne.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace opencd::cli::report {

/// Prototypes are on the map too; `train` makes at most a thousand.
inline constexpr std::size_t kMostMapPoints = kMostTsneRows - 1000;

struct MapFeatures {
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> groups;            // of the rows
  std::vector<std::int32_t> prototype_groups;  // of the prototypes
  std::size_t columns = 0;
  std::vector<float> features;  // of rows, then of prototypes
  std::vector<float> places;    // two for each
};

/// At most `most` training rows that the run was not told the class of, spread evenly; none if it
/// kept no split.
std::vector<std::uint32_t> map_rows(const std::filesystem::path& run, std::size_t most);

/// What was kept for exactly these rows and this checkpoint.
std::optional<MapFeatures> read_map_features(const SavedModel& model,
                                             const std::vector<std::uint32_t>& rows);

/// Computes them, and keeps them.
MapFeatures make_map_features(const SavedModel& model,
                              const data::ImageSet& set,
                              const std::vector<std::uint32_t>& rows,
                              const nn::Engine& engine,
                              const CommonOptions& options);

/// The places with their groups, without pictures.
FeatureMap points_of(const MapFeatures& features);

}  // namespace opencd::cli::report
