// The files of a checkpoint: model.safetensors for everybody, state.safetensors and state.json for
// going on.
#include "error.hpp"
#include "nn/model_weights.hpp"
#include "opencd/trainer.hpp"

namespace opencd {

namespace {

/// A flat range of the optimizer, under the name that its tensors get in the file.
struct StateRange {
  const char* name;
  View<float> range;
};

std::vector<StateRange> state_ranges(const nn::Optimizer& optimizer) {
  std::vector<StateRange> ranges{{"first", optimizer.first_moments()}};
  if (optimizer.second_moments().size != 0)
    ranges.push_back({"second", optimizer.second_moments()});
  // The model in the file has the averages; here is what they are the averages of.
  if (optimizer.averages().size != 0) ranges.push_back({"averaged", optimizer.averages()});
  return ranges;
}

struct StateTensor {
  const nn::Parameter* parameter;
  View<float> range;
  nn::TensorSpec spec;
};

std::vector<StateTensor> state_tensors(const nn::ParameterSet& parameters,
                                       const nn::Optimizer& optimizer) {
  std::vector<StateTensor> tensors;
  for (const StateRange& range : state_ranges(optimizer))
    for (const nn::Parameter& parameter : parameters.all())
      if (parameter.role == nn::Role::trained)
        tensors.push_back({&parameter,
                           range.range,
                           {fmt::format("{}.{}", range.name, parameter.name), parameter.dims()}});
  return tensors;
}

/// Of the optimizer's tensors, then of the method's.
std::vector<nn::TensorSpec> specs_of(const std::vector<StateTensor>& tensors,
                                     const std::vector<RowMemory>& memory) {
  std::vector<nn::TensorSpec> specs;
  specs.reserve(tensors.size() + memory.size());
  for (const StateTensor& tensor : tensors) specs.push_back(tensor.spec);
  for (const auto& [name, values] : memory)
    specs.push_back(
        {"rows." + name,
         {static_cast<std::int64_t>(values.rows), static_cast<std::int64_t>(values.columns)}});
  return specs;
}

}  // namespace

void Trainer::save(const std::filesystem::path& folder) {
  const Averaged averaged(optimizer_->optimizer());
  const nn::ParameterSet& parameters = model_.parameters();
  nn::save_model(folder / "model.safetensors", parameters);
  const std::vector<StateTensor> tensors = state_tensors(parameters, optimizer_->optimizer());
  const std::vector<RowMemory> memory = method_->row_memory();
  nn::save_weights(folder / "state.safetensors", specs_of(tensors, memory), [&](std::size_t i) {
    if (i < tensors.size()) return parameters.read(*tensors[i].parameter, tensors[i].range);
    const Rows<float> values = memory[i - tensors.size()].values;
    std::vector<float> host(values.size());
    kernels::copy_to_host<float>(model_.device(), values.flat(), host);
    return host;
  });
}

void Trainer::save_encoder(const std::filesystem::path& file) {
  const Averaged averaged(optimizer_->optimizer());
  const nn::ParameterSet& parameters = model_.parameters();
  std::vector<nn::TensorSpec> specs = nn::tensor_specs(parameters);
  specs.resize(encoder_tensors_);
  nn::save_weights(file, specs,
                   [&](std::size_t i) { return parameters.read(parameters.all()[i]); });
}

std::size_t Trainer::checkpoint_bytes() const {
  const nn::ParameterSet& parameters = model_.parameters();
  std::size_t floats = 0;
  for (const nn::Parameter& parameter : parameters.all()) floats += nn::floats_of(parameter.desc);
  floats += state_ranges(optimizer_->optimizer()).size() * parameters.size(nn::Role::trained);
  for (const RowMemory& memory : method_->row_memory()) floats += memory.values.size();
  return floats * sizeof(float) + 65536;  // headers, state.json and SHA256SUMS
}

Json Trainer::state() const {
  return {{"epoch", position_.epoch},
          {"step", position_.step},
          {"epoch_begun", epoch_begun_},
          {"finished", finished_},
          {"optimizer_steps", optimizer_->optimizer().steps()},
          {"steps_per_epoch", steps().usual},
          {"steps_done", steps_done()},
          {"method", method_->state()}};
}

data::BatchPosition Trainer::position_in(const Json& state,
                                         const std::filesystem::path& folder) const {
  const data::BatchPosition position{state.at("epoch").get<std::uint32_t>(),
                                     state.at("step").get<std::size_t>()};
  const auto usual = state.at("steps_per_epoch").get<std::size_t>();
  if (usual != steps().usual)
    fail<FormatError>("[train] {}: the checkpoint has {} steps an epoch, this run {}",
                      folder.string(), usual, steps().usual);
  // Checkpoints of versions whose epochs all had as many steps do not say how many were done.
  const std::size_t done = state.value("steps_done", position.epoch * usual + position.step);
  const std::size_t here = steps().before(position.epoch) + position.step;
  if (done != here)
    fail<FormatError>(
        "[train] {}: epoch {}, step {} is step {} of the checkpoint's run, but step {} of this "
        "one: "
        "their epochs of labelled rows differ in number or length. Begin anew, without --resume",
        folder.string(), position.epoch + 1, position.step + 1, done, here);
  return position;
}

void Trainer::restore(const std::filesystem::path& folder, const Json& state) {
  nn::ParameterSet& parameters = model_.parameters();
  // Everything is read before anything is changed.
  const std::vector<StateTensor> tensors = state_tensors(parameters, optimizer_->optimizer());
  const std::vector<RowMemory> memory = method_->row_memory();
  const auto values = nn::load_weights(folder / "state.safetensors", specs_of(tensors, memory));
  try {
    const data::BatchPosition position = position_in(state, folder);
    const bool begun = state.at("epoch_begun").get<bool>();
    const bool finished = state.value("finished", false);
    const auto steps = state.at("optimizer_steps").get<std::size_t>();
    nn::load_model(folder / "model.safetensors", parameters);
    method_->restore(state.at("method"));
    for (std::size_t i = 0; i < tensors.size(); ++i)
      parameters.write(*tensors[i].parameter, values[i], tensors[i].range);
    for (std::size_t i = 0; i < memory.size(); ++i)
      kernels::copy_to_device<float>(model_.device(), values[tensors.size() + i],
                                     memory[i].values.flat());
    optimizer_->optimizer().exchange_averages();  // the file shows the averages as the model
    optimizer_->optimizer().set_steps(steps);
    position_ = position;
    epoch_begun_ = begun;
    finished_ = finished && done();  // not where more epochs were asked for since
    epoch_planned_ = false;
  } catch (const Json::exception& error) {
    fail<FormatError>("[train] {}/state.json does not read: {}", folder.string(), error.what());
  }
}

}  // namespace opencd
