// .npy arrays and their values.
#include "data/npy.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const data::Bytes file(std::vector<std::uint8_t>(bytes, bytes + size));
  fuzz::try_to([&] { data::to_floats(data::parse_npy(file, fuzz::kName)); });
  return fuzz::try_to([&] { data::to_labels(data::parse_npy(file, fuzz::kName)); });
}
