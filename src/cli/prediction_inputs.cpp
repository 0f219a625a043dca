#include "cli/prediction_inputs.hpp"

#include "data/array_set.hpp"
#include "data/cifar.hpp"
#include "data/file.hpp"
#include "data/idx.hpp"
#include "data/picture_files.hpp"
#include "data/picture_stream.hpp"
#include "data/synthetic.hpp"
#include "error.hpp"

namespace opencd::cli {

namespace {

namespace fs = std::filesystem;

/// Whether DATA has a reader of its own: anything but pictures.
bool is_data_set(const std::string& word) {
  if (data::is_synthetic(word) || (word == "fashion-mnist" && !fs::exists(word))) return true;
  if (fs::is_directory(word)) return data::is_cifar_folder(word) || data::is_idx_folder(word);
  return data::is_array_file(word);
}

/// RGB as one channel, with the weights that Pillow's convert("L") uses.
std::vector<std::uint8_t> to_grey(std::span<const std::uint8_t> rgb) {
  std::vector<std::uint8_t> grey(rgb.size() / 3);
  for (std::size_t i = 0; i < grey.size(); ++i)
    grey[i] = static_cast<std::uint8_t>(
        (rgb[3 * i] * 19595U + rgb[3 * i + 1] * 38470U + rgb[3 * i + 2] * 7471U + 0x8000U) >> 16U);
  return grey;
}

void add_folder(const std::string& word, PredictionInputs& inputs) {
  data::PictureFolder found = data::find_all_pictures(word);
  for (std::size_t i = 0; i < found.train.size(); ++i)
    inputs.pictures.push_back(
        {found.train.files[i], (fs::path(word) / found.train.paths[i]).generic_string()});
  inputs.left_out.insert(inputs.left_out.end(), found.left_out.begin(), found.left_out.end());
}

}  // namespace

PredictionInputs find_inputs(const std::vector<std::string>& words) {
  PredictionInputs inputs;
  for (const std::string& word : words) {
    if (is_data_set(word))
      inputs.data_sets.push_back(word);
    else if (fs::is_directory(word))
      add_folder(word, inputs);
    else if (fs::exists(word))
      inputs.pictures.push_back({word, data::display_text(word)});
    else
      fail<FormatError>("[predict] {}: no such file, folder or data set", data::display_text(word));
  }
  return inputs;
}

void read_pictures(const std::vector<InputPicture>& pictures,
                   const data::ImageShape& shape,
                   std::size_t block,
                   std::vector<std::string>& left_out,
                   const std::function<void(const PictureRows&, std::size_t done)>& take) {
  if (shape.height != shape.width)
    fail<FormatError>(
        "[predict] the model was trained for {} x {} pictures, and files are brought to squares "
        "only; give them as an array (.npy)",
        shape.height, shape.width);
  std::vector<fs::path> files;
  files.reserve(pictures.size());
  for (const InputPicture& picture : pictures) files.push_back(picture.file);
  data::PictureStream stream(std::move(files), {.size = shape.height, .block = block});
  while (const data::PictureBlock* decoded = stream.next()) {
    std::vector<std::uint8_t> pixels;
    PictureRows result;
    for (std::size_t i = 0; i < decoded->size(); ++i) {
      const std::size_t place = decoded->first + i;
      if (!decoded->errors[i].empty()) {
        left_out.push_back(pictures[place].path + ": " + decoded->errors[i]);
        continue;
      }
      const auto row = decoded->row(i);
      pixels.insert(pixels.end(), row.begin(), row.end());
      result.places.push_back(place);
    }
    result.rows.pixels = data::Bytes(shape.channels == 1 ? to_grey(pixels) : std::move(pixels));
    result.rows.labels.assign(result.places.size(), data::kNoLabel);
    take(result, decoded->first + decoded->size());
  }
}

}  // namespace opencd::cli
