// splits.json. What is accepted must come out of its own text the same.
#include "data/split_file.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  return fuzz::try_to([&] {
    const data::OpenWorldSplit split = data::parse_split(text, fuzz::kName);
    if (data::parse_split(data::split_to_json(split), fuzz::kName).hash() != split.hash())
      __builtin_trap();
  });
}
