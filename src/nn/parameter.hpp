// All numbers that a model learns or keeps, in a few flat ranges of device memory: the optimizer,
// a checkpoint or another process deals with one range, a layer with its own slice of it.
//
// Values lie in the layout that the forward primitive of their layer chose; layouts may pad, and
// the padding stays zero. Only `read` and `write` convert, to and from the plain order of PyTorch.
#pragma once

#include "kernels/memory.hpp"
#include "nn/engine.hpp"
#include "nn/shape.hpp"

#include <array>
#include <deque>
#include <span>

namespace opencd::nn {

using kernels::Buffer;
using kernels::View;

/// Which flat range a tensor belongs to. Constants never change and are in no file.
enum class Role { trained, frozen, running_mean, running_var, constant };
inline constexpr std::size_t kRoles = 5;

/// Start values. `kaiming_normal` is fan_out with the gain of ReLU, `kaiming_fan_in` the same by
/// inputs, for layers that are far wider on one side; `centre_channels` are the weights of a 1x1
/// convolution that copies its input to the middle one of its output channels; `unit_rows` are rows
/// of length 1 in random directions.
enum class Init {
  zeros,
  ones,
  kaiming_normal,
  kaiming_fan_in,
  standard_normal,
  centre_channels,
  unit_rows
};

struct ParameterConfig {
  std::string name;  // torchvision's: "layer4.1.bn2.weight"
  Desc desc;         // logical dimensions and layout on the device
  Role role = Role::trained;
  Init init = Init::zeros;
  bool decay = true;  // whether weight decay applies
};

struct Parameter : ParameterConfig {
  std::size_t offset = 0;  // floats from the start of the range of its role
  View<float> value;
  View<float> grad;  // sum over the passes since the last step; trained parameters only
  View<float> diff;  // what the newest backward pass assigned

  Dims dims() const { return desc.get_dims(); }
};

/// Part of the range of trained parameters, in floats: what is trained at a time is a list of them.
struct ParameterRange {
  std::size_t first = 0;
  std::size_t count = 0;

  std::size_t end() const { return first + count; }
  bool operator==(const ParameterRange&) const = default;
};

class ParameterSet {
 public:
  explicit ParameterSet(const Engine& engine) : engine_(engine) {}

  /// Registers a tensor; the reference stays valid. Its memory comes with `allocate`.
  Parameter& add(const ParameterConfig& config);
  /// Allocates all ranges, sets the constants, and the rest to zero. Nothing can be added
  /// afterwards.
  void allocate();

  /// All tensors but the constants, in the order of registration.
  const std::deque<Parameter>& all() const { return parameters_; }
  /// The tensor called `name`, or null.
  const Parameter* find(std::string_view name) const;

  View<float> values(Role role) const;
  /// Those of all roles.
  View<const float> values() const { return values_; }
  View<float> grads() const { return grads_; }
  /// Floats in the range of a role; known before `allocate`.
  std::size_t size(Role role) const { return sizes_[static_cast<std::size_t>(role)]; }
  std::size_t bytes() const;

  /// Adds what the backward pass of the parameters at [first, first + count) of the trained range
  /// assigned to their gradients.
  void accumulate(std::size_t first, std::size_t count);
  void clear_grads();

  /// A tensor in plain order, to and from the host. These wait.
  std::vector<float> read(const Parameter& parameter) const;
  std::vector<float> read_grad(const Parameter& parameter) const;
  void write(const Parameter& parameter, std::span<const float> values);
  /// The same for a range that lies beside the trained one, such as an optimizer's moments.
  std::vector<float> read(const Parameter& parameter, View<const float> range) const;
  void write(const Parameter& parameter, std::span<const float> values, View<float> range);

  /// Changes with every change of values; tells those who keep copies to renew them.
  std::uint64_t version() const { return version_; }
  /// The same for frozen values, which only `write` changes.
  std::uint64_t frozen_version() const { return writes_; }
  void touch() { ++version_; }

 private:
  void bind(Parameter& parameter);
  std::vector<float> read_plain(const Desc& desc, View<const float> src) const;
  void write_plain(const Parameter& parameter, std::span<const float> values, View<float> dst);

  const Engine& engine_;
  std::deque<Parameter> parameters_;
  std::deque<Parameter> constants_;
  std::array<std::size_t, kRoles> sizes_{};
  Buffer<float> values_;
  Buffer<float> grads_;
  Buffer<float> diffs_;
  std::uint64_t version_ = 1;
  std::uint64_t writes_ = 1;
};

/// Sets every parameter to its start value. The numbers depend on the seed and on the parameter's
/// name and dimensions alone: not on layout, device, freezing, or what else the model holds.
void initialise(ParameterSet& parameters, std::uint32_t seed);

}  // namespace opencd::nn
