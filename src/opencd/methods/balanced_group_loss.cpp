#include "opencd/methods/balanced_group_loss.hpp"

#include <algorithm>

namespace opencd {

using kernels::Buffer;
using kernels::Rows;

namespace {

std::size_t scratch_bytes(std::size_t rows, std::size_t prototypes) {
  return std::max(kernels::balanced_targets_scratch_bytes(rows, prototypes),
                  kernels::target_cross_entropy_scratch_bytes(rows));
}

}  // namespace

BalancedGroupLoss::BalancedGroupLoss(kernels::Device& device,
                                     std::size_t rows,
                                     std::size_t prototypes)
    : device_(device),
      rows_(rows),
      losses_(device, 2),
      scratch_(device, scratch_bytes(rows, prototypes)),
      readbacks_{kernels::Readback<float>(device), kernels::Readback<float>(device)} {
  for (std::size_t v = 0; v < 2; ++v) {
    q_[v] = Buffer<float>(device, rows * prototypes);
    targets_[v] = Buffer<float>(device, rows * prototypes);
  }
}

void BalancedGroupLoss::set_groups(const kernels::PrototypeGroups& groups) {
  const float share = 1.0f / static_cast<float>(groups.groups());
  shares_ = kernels::to_device(device_, std::vector<float>(groups.groups(), share));
}

void BalancedGroupLoss::add(const kernels::PrototypeGroups& groups,
                            std::array<Rows<const float>, 2> p,
                            std::array<Rows<float>, 2> diff,
                            float temperature) {
  const auto rows_of = [&](const Buffer<float>& buffer) {
    return Rows<float>{buffer.data(), rows_, groups.groups()};
  };
  for (std::size_t v = 0; v < 2; ++v) {
    kernels::aggregate_groups(device_, groups, p[v], rows_of(q_[v]));
    kernels::balanced_targets(device_, scratch_, rows_of(q_[v]), shares_, rows_of(targets_[v]));
  }
  for (std::size_t v = 0; v < 2; ++v) {
    const kernels::View<float> loss = losses_.view().slice(v, 1);
    kernels::target_cross_entropy(device_, scratch_, groups,
                                  {p[v], rows_of(q_[v]), rows_of(targets_[1 - v])}, diff[v], loss,
                                  {.temperature = temperature, .weight = 0.5f});
    readbacks_[v].start(loss);
  }
}

double BalancedGroupLoss::value() {
  const double first = readbacks_[0].finish();
  return 0.5 * (first + readbacks_[1].finish());
}

}  // namespace opencd
