// What TensorBoard's Projector reads: points as tab-separated numbers, what is known of them, and
// the file that names both. `tensorboard --logdir FOLDER` shows them.
#pragma once

#include "cli/array_files.hpp"
#include "cli/evaluation_files.hpp"

namespace opencd::cli {

/// Writes NAME.tsv for every array, metadata.tsv (row, class, group, name, confidence) and
/// projector_config.pbtxt, of up to `most` rows taken at even steps. Arrays are floats with one row
/// for every predicted row. Returns the names of the files.
std::vector<std::string> write_projector(const std::filesystem::path& folder,
                                         std::span<const NamedArray> arrays,
                                         const PredictedRows& predicted,
                                         const Naming& naming,
                                         std::size_t most);

}  // namespace opencd::cli
