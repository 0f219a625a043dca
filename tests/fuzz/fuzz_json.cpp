// state.json and args.json: JSON as all of it is read here. What is accepted must come out of its own text the same.
#include "files/strict_json.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  return fuzz::try_to([&] {
    const nlohmann::json value = files::parse_json(text, fuzz::kName);
    if (files::parse_json(value.dump(), fuzz::kName) != value) __builtin_trap();
  });
}
