#include "cli/array_files.hpp"

#include "data/npy_writer.hpp"
#include "files/safetensors_writer.hpp"

#include <fmt/format.h>

namespace opencd::cli {

namespace {

namespace fs = std::filesystem;

void write_npy_file(const fs::path& file, const NamedArray& array) {
  std::visit([&](auto values) { data::write_npy(file, values, array.shape); }, array.values);
}

/// One line a row. Floats have the digits that bring the same float back.
void write_csv_file(const fs::path& file, const NamedArray& array) {
  const std::size_t columns = array.shape.size() > 1 ? array.shape[1] : 1;
  files::AtomicFile out(file);
  std::string line;
  for (std::size_t c = 0; c < columns; ++c)
    line += fmt::format("{}{}{}", c ? "," : "", array.name, c);
  out.write(line + "\n");
  std::visit(
      [&](auto values) {
        for (std::size_t row = 0; row < array.shape[0]; ++row) {
          line.clear();
          for (std::size_t c = 0; c < columns; ++c)
            fmt::format_to(std::back_inserter(line), "{}{}", c ? "," : "",
                           values[row * columns + c]);
          out.write(line + "\n");
        }
      },
      array.values);
  out.commit();
}

void write_safetensors_file(const fs::path& file, std::span<const NamedArray> arrays) {
  std::vector<files::TensorEntry> entries;
  for (const NamedArray& array : arrays)
    entries.push_back({array.name,
                       std::holds_alternative<std::span<const float>>(array.values)
                           ? files::ElementType::f32
                           : files::ElementType::i32,
                       {array.shape.begin(), array.shape.end()}});
  files::SafetensorsWriter writer(file, entries);
  for (const NamedArray& array : arrays)
    std::visit([&](auto values) { writer.write(array.name, values); }, array.values);
  writer.commit();
}

}  // namespace

std::vector<std::string> write_arrays(const fs::path& folder,
                                      const std::string& format,
                                      std::span<const NamedArray> arrays) {
  if (format == "safetensors") {
    write_safetensors_file(folder / "arrays.safetensors", arrays);
    return {"arrays.safetensors"};
  }
  std::vector<std::string> names;
  for (const NamedArray& array : arrays) {
    names.push_back(array.name + "." + format);
    if (format == "npy")
      write_npy_file(folder / names.back(), array);
    else
      write_csv_file(folder / names.back(), array);
  }
  return names;
}

}  // namespace opencd::cli
