// Labels files in CSV.
#include "data/labels_file.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  return fuzz::try_to([&] { data::parse_labels_csv(text, "path", fuzz::kName); });
}
