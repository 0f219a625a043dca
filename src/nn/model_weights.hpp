// Weight files of a model: its parameters and running statistics by name, in PyTorch's order.
#pragma once

#include "nn/parameter.hpp"
#include "nn/weights.hpp"

namespace opencd::nn {

/// Name and shape of every tensor of the model, in the order of registration.
std::vector<TensorSpec> tensor_specs(const ParameterSet& parameters);

/// Loads exactly the tensors of the model; anything missing, extra or of another shape throws
/// FormatError and changes nothing.
void load_model(const std::filesystem::path& file, ParameterSet& parameters);

/// Loads those tensors that the file has in the right shape and reports the rest.
LoadReport load_matching_model(const std::filesystem::path& file, ParameterSet& parameters);

void save_model(const std::filesystem::path& file,
                const ParameterSet& parameters,
                files::Metadata metadata = {});

}  // namespace opencd::nn
