// `bench discover`: a regrouping of 50,000 rows, all but the feature pass, and its parts.
#pragma once

#include "bench/measure.hpp"
#include "nn/engine.hpp"

#include <filesystem>

namespace opencd::bench {

/// t-SNE with its defaults of the rows in a .npy file; what it told of the divergence is
/// among the figures.
Case tsne_case(const nn::Engine& engine, const std::filesystem::path& features);

/// The sizes of CIFAR-10 (50 prototypes, 10 classes) and CIFAR-100 (500, 100): affinity of
/// prototypes, spectral grouping, Louvain, the number of classes, a whole regrouping; and k-means of
/// 50,000 x 512 features. If there is a file to map, its map instead. bench/peers holds the authors'
/// way and scikit-learn's to compare with.
std::vector<Result> run_discover_suite(const nn::Engine& engine,
                                       const std::filesystem::path& map_of,
                                       const MeasureOptions& options);

}  // namespace opencd::bench
