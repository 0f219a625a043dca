// TensorBoard event files, as a crash may have left them: what is kept must be kept again.
#include "files/event_file.hpp"
#include "fuzz.hpp"

using namespace opencd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const std::int64_t last_step : {std::int64_t{-1}, std::int64_t{1}, std::int64_t{1} << 62u}) {
    const std::uint64_t kept = files::leading_events(text, last_step);
    if (kept > size || files::leading_events(text.substr(0, kept), last_step) != kept)
      __builtin_trap();
  }
  return 0;
}
