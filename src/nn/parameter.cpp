#include "nn/parameter.hpp"

#include "kernels/check.hpp"
#include "kernels/elementwise.hpp"
#include "nn/reorder.hpp"
#include "philox.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace opencd::nn {

namespace {

// A cache line and the widest vector: slices start where primitives like their memory.
constexpr std::size_t kAlignment = 16;

std::size_t aligned(std::size_t floats) {
  return (floats + kAlignment - 1) / kAlignment * kAlignment;
}

/// FNV-1a: gives every tensor a stream of random numbers of its own.
std::uint32_t name_hash(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char character : name)
    hash = (hash ^ static_cast<unsigned char>(character)) * 16777619u;
  return hash;
}

/// Box-Muller, four numbers a draw: the same on every machine whose log and cos are right to a
/// float.
std::vector<float> normals(std::size_t count,
                           double deviation,
                           std::uint32_t seed,
                           std::uint32_t stream) {
  std::vector<float> values(count + 3);
  for (std::size_t i = 0; i < count; i += 4) {
    const RandomBits bits =
        RandomStream{seed, RandomPurpose::initialisation, stream, i / 4}.draw(0);
    for (std::size_t pair = 0; pair < 4; pair += 2) {
      const double uniform = (bits.word[pair] + 1.0) / 4294967296.0;  // in (0, 1]
      const double radius = deviation * std::sqrt(-2.0 * std::log(uniform));
      const double angle = 2.0 * std::numbers::pi * (bits.word[pair + 1] / 4294967296.0);
      values[i + pair] = static_cast<float>(radius * std::cos(angle));
      values[i + pair + 1] = static_cast<float>(radius * std::sin(angle));
    }
  }
  values.resize(count);
  return values;
}

std::size_t element_count(const Dims& dims) {
  return static_cast<std::size_t>(
      std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>()));
}

/// w[o][i] = 1 where output channel o is input channel i moved by half the channels added.
std::vector<float> centre_channels(std::size_t outputs, std::size_t inputs) {
  std::vector<float> weights(outputs * inputs, 0.0f);
  for (std::size_t i = 0; i < inputs; ++i)
    weights[((outputs - inputs) / 2 + i) * inputs + i] = 1.0f;
  return weights;
}

void scale_to_unit_rows(std::vector<float>& values, std::size_t columns) {
  for (std::size_t first = 0; first < values.size(); first += columns) {
    const auto row = std::span(values).subspan(first, columns);
    const double squares = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    for (float& value : row) value = static_cast<float>(value / std::sqrt(squares));
  }
}

std::vector<float> start_values(const Parameter& parameter, std::uint32_t seed) {
  const Dims dims = parameter.dims();
  const std::size_t count = element_count(dims);
  const auto random = [&](double deviation) {
    return normals(count, deviation, seed, name_hash(parameter.name));
  };
  switch (parameter.init) {
    case Init::zeros: break;
    case Init::ones: return std::vector<float>(count, 1.0f);
    case Init::standard_normal: return random(1.0);
    case Init::unit_rows: {
      std::vector<float> values = random(1.0);
      scale_to_unit_rows(values, static_cast<std::size_t>(dims.at(1)));
      return values;
    }
    case Init::kaiming_normal: {
      // fan_out: output channels times the kernel's area
      const std::size_t fan_out = count / static_cast<std::size_t>(dims.at(1));
      return random(std::sqrt(2.0 / static_cast<double>(fan_out)));
    }
    case Init::kaiming_fan_in: {
      const std::size_t fan_in = count / static_cast<std::size_t>(dims.at(0));
      return random(std::sqrt(2.0 / static_cast<double>(fan_in)));
    }
    case Init::centre_channels:
      return centre_channels(static_cast<std::size_t>(dims.at(0)),
                             static_cast<std::size_t>(dims.at(1)));
  }
  return std::vector<float>(count, 0.0f);
}

}  // namespace

Parameter& ParameterSet::add(const ParameterConfig& config) {
  if (values_.size() != 0)
    fail<ShapeError>("[parameters] {} was added after the memory was allocated", config.name);
  if (find(config.name) != nullptr)
    fail<ShapeError>("[parameters] expected names to differ, got {} twice", config.name);
  std::size_t& size = sizes_[static_cast<std::size_t>(config.role)];
  std::deque<Parameter>& list = config.role == Role::constant ? constants_ : parameters_;
  Parameter& parameter = list.emplace_back(Parameter{config, size, {}, {}, {}});
  size += aligned(floats_of(config.desc));
  return parameter;
}

void ParameterSet::allocate() {
  Device& device = engine_.device();
  values_ = Buffer<float>(device, std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0}));
  grads_ = Buffer<float>(device, size(Role::trained));
  diffs_ = Buffer<float>(device, size(Role::trained));
  for (const Buffer<float>* range : {&values_, &grads_, &diffs_})
    kernels::fill(device, range->view(), 0.0f);
  for (Parameter& parameter : parameters_) bind(parameter);
  for (Parameter& constant : constants_) {
    bind(constant);
    write(constant, start_values(constant, 0));
  }
}

void ParameterSet::bind(Parameter& parameter) {
  const std::size_t count = floats_of(parameter.desc);
  parameter.value = values(parameter.role).slice(parameter.offset, count);
  if (parameter.role != Role::trained) return;
  parameter.grad = grads_.view().slice(parameter.offset, count);
  parameter.diff = diffs_.view().slice(parameter.offset, count);
}

const Parameter* ParameterSet::find(std::string_view name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return found == parameters_.end() ? nullptr : &*found;
}

View<float> ParameterSet::values(Role role) const {
  const auto index = static_cast<std::ptrdiff_t>(role);
  const std::size_t first = std::accumulate(sizes_.begin(), sizes_.begin() + index, std::size_t{0});
  return values_.view().slice(first, size(role));
}

std::size_t ParameterSet::bytes() const {
  return sizeof(float) *
         (std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0}) + 2 * size(Role::trained));
}

void ParameterSet::accumulate(std::size_t first, std::size_t count) {
  kernels::axpy(engine_.device(), 1.0f, diffs_.view().slice(first, count),
                grads_.view().slice(first, count));
}

void ParameterSet::clear_grads() { kernels::fill(engine_.device(), grads_, 0.0f); }

std::vector<float> ParameterSet::read_plain(const Desc& desc, View<const float> src) const {
  const Desc plain = plain_desc(desc.get_dims());
  const Buffer<float> memory(engine_.device(), floats_of(plain));
  reorder(engine_, desc, src, plain, memory.view());
  return kernels::to_host(engine_.device(), memory);
}

std::vector<float> ParameterSet::read(const Parameter& parameter) const {
  return read_plain(parameter.desc, parameter.value);
}

std::vector<float> ParameterSet::read_grad(const Parameter& parameter) const {
  return read_plain(parameter.desc, parameter.grad);
}

std::vector<float> ParameterSet::read(const Parameter& parameter, View<const float> range) const {
  return read_plain(parameter.desc, range.slice(parameter.offset, floats_of(parameter.desc)));
}

void ParameterSet::write_plain(const Parameter& parameter,
                               std::span<const float> values,
                               View<float> dst) {
  kernels::require_equal(parameter.name.c_str(), "values", element_count(parameter.dims()),
                         values.size());
  const Desc plain = plain_desc(parameter.dims());
  const Buffer<float> memory(engine_.device(), values.size());
  kernels::copy_to_device<float>(engine_.device(), values, memory.view());
  reorder(engine_, plain, memory.view(), parameter.desc, dst);
}

void ParameterSet::write(const Parameter& parameter, std::span<const float> values) {
  write_plain(parameter, values, parameter.value);
  touch();
  ++writes_;
}

void ParameterSet::write(const Parameter& parameter,
                         std::span<const float> values,
                         View<float> range) {
  write_plain(parameter, values, range.slice(parameter.offset, floats_of(parameter.desc)));
}

void initialise(ParameterSet& parameters, std::uint32_t seed) {
  for (const Parameter& parameter : parameters.all())
    parameters.write(parameter, start_values(parameter, seed));
}

}  // namespace opencd::nn
