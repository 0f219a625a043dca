// A map of features from a file, from their bytes to places in the plane.
#include "bench/discover.hpp"
#include "data/npy.hpp"
#include "error.hpp"
#include "opencd/tsne.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace opencd::bench {

Case tsne_case(const nn::Engine& engine, const std::filesystem::path& features) {
  const data::NpyArray array = data::read_npy(features);
  if (array.shape.size() != 2)
    fail<FormatError>("[bench] {}: expected rows and columns, got {}", array.name,
                      array.shape_text());
  const auto rows = std::make_shared<std::vector<float>>(data::to_floats(array));
  const auto map = [&engine, rows, columns = array.shape[1]] {
    return tsne(engine, *rows, columns, {});
  };
  const TsneMap found = map();
  Case result;
  result.name = "tsne";
  result.params = {{"rows", array.shape[0]}, {"columns", array.shape[1]}};
  result.figures = {{"kl_divergence", found.kl_divergence}};
  result.work = static_cast<double>(array.shape[0]);
  result.unit = "row";
  result.run = [map] { map(); };
  result.check = [map, found]() -> std::string {
    if (!std::ranges::all_of(found.points, [](float value) { return std::isfinite(value); }))
      return "points of the map are not finite";
    return map().points == found.points ? "" : "a second map has other bits than the first";
  };
  return result;
}

}  // namespace opencd::bench
