// Configuration files. What is accepted must come out of its own text the same.
#include "files/toml_file.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  return fuzz::try_to([&] {
    const auto entries = files::parse_toml(text, fuzz::kName);
    std::string again;
    for (const files::TomlEntry& entry : entries) {
      again += files::toml_string(entry.key) + " = [\n";
      for (const std::string& value : entry.values) again += files::toml_string(value) + ",\n";
      again += "]\n";
      // Escapes may make a line too long; that is not what is looked for here.
      if (again.size() > 4096) return;
    }
    const auto second = files::parse_toml(again, fuzz::kName);
    if (second.size() != entries.size()) __builtin_trap();
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (second[i].key != entries[i].key || second[i].values != entries[i].values)
        __builtin_trap();
  });
}
