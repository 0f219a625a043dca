// CIFAR binary files, read as both kinds.
#include "data/cifar.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::try_to([&] { data::parse_cifar({bytes, size}, data::CifarKind::cifar10, fuzz::kName); });
  return fuzz::try_to(
      [&] { data::parse_cifar({bytes, size}, data::CifarKind::cifar100, fuzz::kName); });
}
