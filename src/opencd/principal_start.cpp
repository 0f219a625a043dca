#include "opencd/principal_start.hpp"

#include "nn/gemm.hpp"
#include "opencd/grouping/random_sequence.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <span>

namespace opencd {

namespace {

using kernels::Buffer;
using kernels::Rows;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr float kDeviation = 1e-4f;
constexpr std::size_t kWidth = 12;  // two directions and room for errors of the search
constexpr int kRounds = 7;
constexpr float kNegligible = 1e-3f;  // against the first component

Eigen::Index index(std::size_t value) { return static_cast<Eigen::Index>(value); }

/// Uniform numbers with deviation 1.
void draw(std::uint32_t seed, std::uint64_t item, std::span<float> values) {
  RandomSequence random(seed, item, RandomPurpose::map_start);
  for (float& value : values)
    value = static_cast<float>(std::sqrt(3.0) * (2.0 * random.unit() - 1.0));
}

Matrix orthonormal(const Matrix& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(columns);
  return qr.householderQ() * Eigen::MatrixXf::Identity(columns.rows(), columns.cols());
}

/// The rows, seen along `width` directions among which are the main ones.
Matrix image_of_rows(const nn::Engine& engine,
                     Rows<const float> centred,
                     std::size_t width,
                     std::uint32_t seed) {
  kernels::Device& device = engine.device();
  Matrix basis(index(centred.columns), index(width));
  draw(seed, 0, {basis.data(), static_cast<std::size_t>(basis.size())});
  Matrix image(index(centred.rows), index(width));
  const std::span<float> image_values(image.data(), static_cast<std::size_t>(image.size()));
  const Buffer<float> device_basis(device, static_cast<std::size_t>(basis.size()));
  const Buffer<float> device_image(device, image_values.size());
  const Rows<float> directions = device_basis.rows(centred.columns, width);
  const Rows<float> seen = device_image.rows(centred.rows, width);
  for (int round = 0; round <= kRounds; ++round) {
    basis = orthonormal(basis);  // which brings its own memory along
    const std::span<float> basis_values(basis.data(), static_cast<std::size_t>(basis.size()));
    kernels::copy_to_device<float>(device, basis_values, device_basis);
    nn::gemm(engine, centred, directions, seen);
    if (round == kRounds) break;
    nn::gemm(engine, centred, seen, directions, {.transpose_left = true});
    kernels::copy_to_host<float>(device, device_basis, basis_values);
  }
  kernels::copy_to_host<float>(device, device_image, image_values);
  return image;
}

}  // namespace

std::vector<float> principal_start(const nn::Engine& engine,
                                   Rows<const float> centred,
                                   std::uint32_t seed) {
  const std::size_t width = std::min({kWidth, centred.columns, centred.rows});
  const Matrix image = image_of_rows(engine, centred, width, seed);
  const Eigen::MatrixXd wide = image.cast<double>();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(wide.transpose() * wide);
  std::vector<float> planes(2 * centred.rows);
  float scale = 0.0f;  // of the first component
  for (std::size_t i = 0; i < 2; ++i) {
    const std::span<float> plane(planes.data() + i * centred.rows, centred.rows);
    Eigen::Map<Eigen::VectorXf> component(plane.data(), index(plane.size()));
    float deviation = 0.0f;
    if (i < width) {  // eigenvalues come in ascending order
      component = (wide * solver.eigenvectors().col(index(width - 1 - i))).cast<float>();
      deviation = component.norm() / std::sqrt(static_cast<float>(centred.rows));
    }
    if (i == 0 && deviation > 0.0f) scale = kDeviation / deviation;
    if (deviation * scale > kNegligible * kDeviation) {
      Eigen::Index largest = 0;
      component.cwiseAbs().maxCoeff(&largest);
      component *= component[largest] < 0.0f ? -scale : scale;
    } else {
      draw(seed, i + 1, plane);
      component *= kDeviation;
    }
  }
  return planes;
}

}  // namespace opencd
