#include "kernels/blur_table.hpp"

#include "kernels/augment_parameters.hpp"

#include <cmath>

namespace opencd::kernels {

double blur_sigma(int level, double low, double high) {
  return low + (high - low) * level / (kBlurLevels - 1);
}

std::vector<std::uint32_t> make_blur_table(int size, double low, double high) {
  const int radius = size / 2;
  std::vector<std::uint32_t> table;
  for (int level = 0; level < kBlurLevels; ++level) {
    const double sigma = blur_sigma(level, low, high);
    const auto height = [sigma](int d) { return std::exp(-0.5 * d * d / (sigma * sigma)); };
    double total = height(0);
    for (int d = 1; d <= radius; ++d) total += 2.0 * height(d);
    const std::size_t centre = table.size();
    table.push_back(1 << 16);
    for (int d = 1; d <= radius; ++d) {
      table.push_back(static_cast<std::uint32_t>(std::lround(65536.0 * height(d) / total)));
      table[centre] -= 2 * table.back();
    }
  }
  return table;
}

}  // namespace opencd::kernels
