#include "cli/projector_files.hpp"

#include "files/atomic_file.hpp"
#include "files/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opencd::cli {

namespace {

namespace fs = std::filesystem;

/// Places among `count` rows, at even steps.
std::vector<std::size_t> even_places(std::size_t count, std::size_t most) {
  const std::size_t taken = std::min(count, most);
  std::vector<std::size_t> places(taken);
  for (std::size_t i = 0; i < taken; ++i) places[i] = i * count / taken;
  return places;
}

/// Floats have the digits that bring the same float back.
void write_tensor(const fs::path& file,
                  const NamedArray& array,
                  const std::vector<std::size_t>& places) {
  const auto values = std::get<std::span<const float>>(array.values);
  const std::size_t columns = array.shape.at(1);
  files::AtomicFile out(file);
  std::string line;
  for (const std::size_t place : places) {
    line.clear();
    for (std::size_t c = 0; c < columns; ++c)
      fmt::format_to(std::back_inserter(line), "{}{}", c ? "\t" : "", values[place * columns + c]);
    out.write(line + "\n");
  }
  out.commit();
}

/// Names lose their control characters, so that none of them ends a cell or a line.
std::string metadata(const PredictedRows& predicted,
                     const Naming& naming,
                     const std::vector<std::size_t>& places) {
  std::string text = "row\tclass\tgroup\tname\tconfidence\n";
  for (const std::size_t place : places) {
    const Prediction& p = predicted.predictions[place];
    const std::int32_t cls = predicted.classes[place];
    const std::string name = cls < 0 ? "unknown" : naming.classes[static_cast<std::size_t>(cls)];
    text += fmt::format("{}\t{}\t{}\t{}\t{:.6f}\n", predicted.rows[place], files::printable(name),
                        p.group, files::printable(naming.groups.of(p.group)), p.confidence);
  }
  return text;
}

}  // namespace

std::vector<std::string> write_projector(const fs::path& folder,
                                         std::span<const NamedArray> arrays,
                                         const PredictedRows& predicted,
                                         const Naming& naming,
                                         std::size_t most) {
  const std::vector<std::size_t> places = even_places(predicted.rows.size(), most);
  std::vector<std::string> written;
  std::string config;
  for (const NamedArray& array : arrays) {
    written.push_back(array.name + ".tsv");
    write_tensor(folder / written.back(), array, places);
    config += fmt::format(
        "embeddings {{\n  tensor_name: \"{}\"\n  tensor_shape: {}\n  tensor_shape: {}\n"
        "  tensor_path: \"{}\"\n  metadata_path: \"metadata.tsv\"\n}}\n",
        array.name, places.size(), array.shape.at(1), written.back());
  }
  files::write_file(folder / "metadata.tsv", metadata(predicted, naming, places));
  files::write_file(folder / "projector_config.pbtxt", config);
  written.insert(written.end(), {"metadata.tsv", "projector_config.pbtxt"});
  return written;
}

}  // namespace opencd::cli
