// PNG pictures.
#include "fuzz_picture.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static constexpr std::uint8_t kBegin[] = {0x89, 'P', 'N', 'G'};
  return opencd::fuzz::try_picture({bytes, size}, kBegin);
}
