// Small checkpoints for tests.
#pragma once

#include "files/atomic_file.hpp"
#include "files/checkpoint_folder.hpp"
#include "files/safetensors_writer.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace opencd::test {

/// Writes the files of a checkpoint of a few hundred bytes that differ with `seed`.
inline std::function<void(const std::filesystem::path&)> checkpoint_writer(int seed) {
  return [seed](const std::filesystem::path& folder) {
    const std::vector<float> values(200, static_cast<float>(seed));
    const std::vector<files::TensorEntry> entries = {{"w", files::ElementType::f32, {200}}};
    for (const char* name : {"model.safetensors", "state.safetensors"}) {
      files::SafetensorsWriter writer(folder / name, entries);
      writer.write<float>("w", values);
      writer.commit();
    }
    files::write_file(folder / "state.json", "{\"seed\": " + std::to_string(seed) +
                                                 ", \"pad\": \"" + std::string(300, 'x') + "\"}\n");
  };
}

inline files::Checkpoint save_small(files::CheckpointFolder& folder,
                                    const files::CheckpointPosition& position,
                                    int seed = 1) {
  return folder.save(position, 4096, checkpoint_writer(seed));
}

}  // namespace opencd::test
