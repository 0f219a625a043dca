// What cross-entropy leaves on the device: shared by its kernels and by the host.
#pragma once

#include <cstdint>

namespace opencd::kernels {

/// The label of a row that cross-entropy counts in its mean, but that pulls nowhere, such as one that
/// nobody is sure about. Other negative labels are not counted.
inline constexpr std::int32_t kCountedWithoutTarget = -2;

struct CrossEntropyRecord {
  float loss = 0.0f;         // mean over the rows that count
  std::int32_t rows = 0;     // that count
  std::int32_t targets = 0;  // of these, with a label
};

}  // namespace opencd::kernels
