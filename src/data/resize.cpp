// Pillow's resampling: the filter is widened by the factor a picture shrinks by, its weights are
// rounded to 22 bits, and rows are filtered before columns with 8-bit values in between. Doing it
// in the same steps gives the same bytes. Only the pixels of a window are computed, so that a strip
// of a picture, whose resized form would be huge, costs no more than others.
#include "data/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace opencd::data {

namespace {

constexpr int kPrecisionBits = 32 - 8 - 2;

/// A range of destination pixels out of `full` along one axis.
struct Range {
  std::size_t full = 0;
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// For every destination pixel: where its source pixels begin and their weights.
struct Filter {
  std::size_t taps = 0;  // room for the weights of one pixel
  std::vector<std::size_t> first;
  std::vector<std::size_t> count;
  std::vector<std::int32_t> weights;
};

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

Filter make_filter(std::size_t src, Range dst) {
  const double scale = static_cast<double>(src) / static_cast<double>(dst.full);
  const double support = std::max(scale, 1.0);
  const double inverse = 1.0 / support;
  Filter filter;
  filter.taps = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  filter.first.resize(dst.size);
  filter.count.resize(dst.size);
  filter.weights.resize(dst.size * filter.taps);
  std::vector<double> exact(filter.taps);
  for (std::size_t i = 0; i < dst.size; ++i) {
    const double center = (static_cast<double>(dst.begin + i) + 0.5) * scale;
    // Truncated after adding a half, and then kept inside the picture.
    const auto low = static_cast<std::ptrdiff_t>(center - support + 0.5);
    const auto high = static_cast<std::ptrdiff_t>(center + support + 0.5);
    const std::size_t first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(low, 0));
    const std::size_t count = std::min(static_cast<std::size_t>(high), src) - first;
    filter.first[i] = first;
    filter.count[i] = count;
    double sum = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      exact[k] = triangle((static_cast<double>(first + k) - center + 0.5) * inverse);
      sum += exact[k];
    }
    for (std::size_t k = 0; k < count; ++k)
      filter.weights[i * filter.taps + k] =
          static_cast<std::int32_t>(0.5 + exact[k] / sum * (1 << kPrecisionBits));
  }
  return filter;
}

std::uint8_t rounded(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kPrecisionBits, 0, 255));
}

constexpr std::int32_t kHalf = 1 << (kPrecisionBits - 1);

/// Filters along the rows `first_row` .. `first_row + rows` of the picture.
Picture resize_rows(const Picture& src, Range columns, std::size_t first_row, std::size_t rows) {
  const Filter filter = make_filter(src.width, columns);
  Picture dst{columns.size, rows, std::vector<std::uint8_t>(columns.size * rows * 3)};
  std::uint8_t* out = dst.rgb.data();
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns.size; ++x) {
      const std::uint8_t* in = &src.rgb[((first_row + y) * src.width + filter.first[x]) * 3];
      const std::int32_t* weight = &filter.weights[x * filter.taps];
      std::int32_t red = kHalf, green = kHalf, blue = kHalf;
      for (std::size_t k = 0; k < filter.count[x]; ++k, in += 3) {
        red += in[0] * weight[k];
        green += in[1] * weight[k];
        blue += in[2] * weight[k];
      }
      *out++ = rounded(red);
      *out++ = rounded(green);
      *out++ = rounded(blue);
    }
  }
  return dst;
}

/// Filters along the columns; `src` begins at row `first_row` of the picture the filter is for.
Picture resize_columns(const Picture& src, const Filter& filter, std::size_t first_row) {
  const std::size_t height = filter.first.size();
  const std::size_t row = src.width * 3;
  Picture dst{src.width, height, std::vector<std::uint8_t>(row * height)};
  std::vector<std::int32_t> sums(row);
  for (std::size_t y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), kHalf);
    for (std::size_t k = 0; k < filter.count[y]; ++k) {
      const std::uint8_t* in = &src.rgb[(filter.first[y] - first_row + k) * row];
      const std::int32_t weight = filter.weights[y * filter.taps + k];
      for (std::size_t i = 0; i < row; ++i) sums[i] += in[i] * weight;
    }
    for (std::size_t i = 0; i < row; ++i) dst.rgb[y * row + i] = rounded(sums[i]);
  }
  return dst;
}

/// The part of the resized picture that both ranges name. A pass that would change nothing has
/// weights of exactly one, so it need not be left out as Pillow does.
Picture resize_window(const Picture& src, Range columns, Range rows) {
  const Filter filter = make_filter(src.height, rows);
  const std::size_t first_row = filter.first.front();
  const std::size_t end_row = filter.first.back() + filter.count.back();
  return resize_columns(resize_rows(src, columns, first_row, end_row - first_row), filter,
                        first_row);
}

/// Half of `difference` as Python rounds it: ties go to the even number.
std::size_t half_to_even(std::size_t difference) {
  return difference / 2 + (difference % 2 == 1 && difference / 2 % 2 == 1 ? 1 : 0);
}

}  // namespace

Picture resize_bilinear(const Picture& picture, std::size_t width, std::size_t height) {
  return resize_window(picture, {width, 0, width}, {height, 0, height});
}

std::vector<std::uint8_t> fit_square(Picture picture, std::size_t size) {
  if (picture.width == size && picture.height == size) return std::move(picture.rgb);
  const std::size_t shorter = std::min(picture.width, picture.height);
  // The longer side is cut to whole pixels before the middle is taken.
  const std::size_t width = picture.width == shorter ? size : size * picture.width / shorter;
  const std::size_t height = picture.height == shorter ? size : size * picture.height / shorter;
  return resize_window(picture, {width, half_to_even(width - size), size},
                       {height, half_to_even(height - size), size})
      .rgb;
}

}  // namespace opencd::data
