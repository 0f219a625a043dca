// Small files in the binary CIFAR formats.
#pragma once

#include "data/support/files.hpp"

#include "data/cifar.hpp"

namespace opencd::test {

inline std::size_t cifar_record_bytes(data::CifarKind kind) {
  return 3072 + (kind == data::CifarKind::cifar10 ? 1 : 2);
}

/// `count` records with labels 0, 1, 2, ... and pixels that tell place and channel.
inline ByteVector cifar_file(std::size_t count, data::CifarKind kind) {
  ByteVector bytes;
  for (std::size_t row = 0; row < count; ++row) {
    if (kind == data::CifarKind::cifar100) bytes.push_back(19);
    bytes.push_back(static_cast<std::uint8_t>(row % 10));
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (std::size_t pixel = 0; pixel < 1024; ++pixel)
        bytes.push_back(static_cast<std::uint8_t>(row * 7 + channel * 50 + pixel % 41));
  }
  return bytes;
}

/// A whole CIFAR-10 folder with `count` records a file.
inline void write_cifar10_folder(const TempFolder& folder, std::size_t count) {
  const ByteVector file = cifar_file(count, data::CifarKind::cifar10);
  for (int batch = 1; batch <= 5; ++batch)
    folder.write(fmt::format("data_batch_{}.bin", batch), file);
  folder.write("test_batch.bin", file);
}

}  // namespace opencd::test
