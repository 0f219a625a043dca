// What the layers of one model share while they are built and while they run: the engine, the
// parameters, and memory for temporaries.
//
// A model is built in two steps. Layers first choose primitives and layouts and register what
// memory they will need, without taking any; `allocate` then takes it all. In between, the memory
// plan is known to the byte.
#pragma once

#include "kernels/scratch.hpp"
#include "nn/engine.hpp"
#include "nn/parameter.hpp"
#include "nn/shape.hpp"

#include <optional>

namespace opencd::nn {

using kernels::Rows;
using kernels::Scratch;

/// Arguments of a primitive, without the scratchpad.
using Arguments = std::unordered_map<int, dnnl::memory>;

/// A primitive with what it needs to run.
struct Operation {
  const char* name = "";
  dnnl::primitive primitive;
  Desc scratchpad;
  std::string implementation;  // oneDNN's name of it; "ref" in it means slow
};

struct ModelOptions {
  bool deterministic = false;  // forbid primitives whose sums depend on timing
};

class Model {
 public:
  explicit Model(const Engine& engine, const ModelOptions& options = {})
      : engine_(engine), options_(options), parameters_(engine) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Engine& engine() const { return engine_; }
  Device& device() const { return engine_.device(); }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  /// Takes the memory of all parameters. Call it when all layers are built.
  void allocate() { parameters_.allocate(); }

  /// Attributes that every primitive starts from.
  dnnl::primitive_attr attributes() const;
  /// A layout for activations: oneDNN's choice, or what the device's policy fixes.
  Desc activation_desc(const Shape& shape) const;

  /// Keeps a primitive together with its scratchpad and reserves memory for it.
  template <class Primitive>
  Operation operation(const char* name, const typename Primitive::primitive_desc& desc) {
    Operation operation{name, Primitive(desc), desc.scratchpad_desc(), desc.impl_info_str()};
    reserve_operation(operation.scratchpad.get_size());
    implementations_.push_back(fmt::format("{} {}", name, operation.implementation));
    return operation;
  }
  void execute(const Operation& operation, Arguments arguments);
  dnnl::memory wrap(const Desc& desc, const void* data) const { return engine_.wrap(desc, data); }

  /// Temporary memory: what networks hold across operations, and what one operation holds.
  void reserve_temporaries(std::size_t bytes);
  void reserve_operation(std::size_t bytes);
  std::size_t scratch_bytes() const { return temporary_bytes_ + operation_bytes_; }
  /// Memory of folded weights, which layers take when they first run.
  void reserve_copies(std::size_t bytes) { copy_bytes_ += bytes; }
  std::size_t copy_bytes() const { return copy_bytes_; }
  /// The scratch memory; taken at its first use, and again when a later layer needs more.
  Scratch& scratch();

  /// "conv forward jit:avx512_core", one for each operation built.
  const std::vector<std::string>& implementations() const { return implementations_; }

 private:
  const Engine& engine_;
  ModelOptions options_;
  ParameterSet parameters_;
  std::size_t temporary_bytes_ = 0;
  std::size_t operation_bytes_ = 0;
  std::size_t copy_bytes_ = 0;
  std::optional<Scratch> scratch_;
  std::vector<std::string> implementations_;
};

/// Temporaries of equal size that a network takes and gives back in any order.
class TemporaryPool {
 public:
  TemporaryPool(Scratch& scratch, std::size_t count, std::size_t floats) {
    for (std::size_t i = 0; i < count; ++i) free_.push_back(scratch.take<float>(floats).data);
  }
  static std::size_t bytes(std::size_t count, std::size_t floats) {
    return count * Scratch::aligned(floats * sizeof(float));
  }
  View<float> take(const Desc& desc) {
    if (free_.empty()) fail<ShapeError>("[temporaries] expected a free one, all are taken");
    float* data = free_.back();
    free_.pop_back();
    return {data, floats_of(desc)};
  }
  void give(View<float> view) { free_.push_back(view.data); }

 private:
  std::vector<float*> free_;
};

}  // namespace opencd::nn
