// .npz archives.
#include "data/npy.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return fuzz::try_to([&] { data::parse_npz({bytes, size}, fuzz::kName); });
}
