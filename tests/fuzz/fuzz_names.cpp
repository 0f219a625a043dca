// names.json. What is accepted must come out of its own file the same.
#include "fuzz_folder.hpp"
#include "opencd/group_names.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto file = fuzz::work_folder() / "names.json";
  fuzz::put(file, {reinterpret_cast<const char*>(bytes), size});
  return fuzz::try_to([&] {
    GroupNames names({"cat", "dog"}, 8);
    if (!read_names(file, "grouping", names) && !names.given().empty()) __builtin_trap();
    for (const auto& [group, name] : names.given())
      if (names.is_known(group) || group >= 8 || names.of(group) != name) __builtin_trap();
    write_names(file, "grouping", names);
    GroupNames again({"cat", "dog"}, 8);
    if (!read_names(file, "grouping", again) || again.given() != names.given()) __builtin_trap();
  });
}
