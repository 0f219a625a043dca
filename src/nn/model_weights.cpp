#include "nn/model_weights.hpp"

namespace opencd::nn {

namespace {

/// Tensors without values are left as they are.
void write_all(ParameterSet& parameters, const std::vector<std::vector<float>>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty()) parameters.write(parameters.all()[i], values[i]);
}

}  // namespace

std::vector<TensorSpec> tensor_specs(const ParameterSet& parameters) {
  std::vector<TensorSpec> specs;
  for (const Parameter& parameter : parameters.all())
    specs.push_back({parameter.name, parameter.dims()});
  return specs;
}

void load_model(const std::filesystem::path& file, ParameterSet& parameters) {
  write_all(parameters, load_weights(file, tensor_specs(parameters)));
}

LoadReport load_matching_model(const std::filesystem::path& file, ParameterSet& parameters) {
  MatchingWeights found = load_matching_weights(file, tensor_specs(parameters));
  write_all(parameters, found.values);
  return std::move(found.report);
}

void save_model(const std::filesystem::path& file,
                const ParameterSet& parameters,
                files::Metadata metadata) {
  save_weights(
      file, tensor_specs(parameters),
      [&](std::size_t i) { return parameters.read(parameters.all()[i]); }, std::move(metadata));
}

}  // namespace opencd::nn
