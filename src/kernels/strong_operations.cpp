#include "kernels/strong_operations.hpp"

#include "kernels/augment_parameters.hpp"

#include <cmath>
#include <numbers>

namespace opencd::kernels {

namespace {

/// Pillow's affine transform with the nearest pixel: (a b c; d e f) maps output to source
/// coordinates of pixel centres.
StrongOperation affine(double a, double b, double c, double d, double e, double f) {
  const auto fixed = [](double value) {
    return static_cast<std::int32_t>(std::floor(value * 65536.0 + 0.5));
  };
  return {StrongKind::affine,
          0,
          {fixed(a), fixed(b), fixed(c + 0.5 * a + 0.5 * b), fixed(d), fixed(e),
           fixed(f + 0.5 * d + 0.5 * e)}};
}

StrongOperation rotation(double degrees, const PictureShape& view) {
  const double angle = -degrees * std::numbers::pi / 180.0;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const double x = view.width / 2.0;
  const double y = view.height / 2.0;
  return affine(c, s, x - c * x - s * y, -s, c, y + s * x - c * y);
}

StrongOperation enhancement(StrongKind kind, int level) {
  return {kind, static_cast<std::int32_t>(std::lround((0.05 + 0.09 * level) * kFactorOne)), {}};
}

StrongOperation make_operation(int operation, int level, int sign, const PictureShape& view) {
  const double share = sign * 0.03 * level;
  const auto pixels = [share](int side) { return std::trunc(share * side); };
  switch (operation) {
    case 0: return {StrongKind::autocontrast, 0, {}};
    case 1: return enhancement(StrongKind::brightness, level);
    case 2: return enhancement(StrongKind::saturation, level);
    case 3: return enhancement(StrongKind::contrast, level);
    case 4: return {StrongKind::equalise, 0, {}};
    case 6: return {StrongKind::posterise, 0xff & ~((1 << (4 - level * 4 / 10)) - 1), {}};
    case 7: return rotation(sign * 3.0 * level, view);
    case 8: return enhancement(StrongKind::sharpness, level);
    case 9: return affine(1, share, 0, 0, 1, 0);
    case 10: return affine(1, 0, 0, share, 1, 0);
    case 11: return {StrongKind::solarise, 256 - level * 256 / 10, {}};
    case 12: return affine(1, 0, pixels(view.width), 0, 1, 0);
    case 13: return affine(1, 0, 0, 0, 1, pixels(view.height));
    default: return {};
  }
}

}  // namespace

std::vector<StrongOperation> make_strong_operations(const PictureShape& view) {
  std::vector<StrongOperation> table;
  for (int operation = 0; operation < kStrongOperations; ++operation)
    for (int level = 0; level < kStrongLevels; ++level)
      for (const int sign : {1, -1}) table.push_back(make_operation(operation, level, sign, view));
  return table;
}

}  // namespace opencd::kernels
