// calibration.json. A curve that is accepted gives shares, and comes out of its own text the same.
#include "files/strict_json.hpp"
#include "fuzz.hpp"
#include "opencd/calibration.hpp"

using namespace opencd;

namespace {

void check(const std::optional<TypicalityCurve>& curve) {
  if (!curve) return;
  for (const double nearness : {-2.0, -1.0, 0.0, 0.3, 1.0, 2.0, curve->quantiles.front()}) {
    const double share = curve->typicality(nearness);
    if (!(share >= 0.0 && share <= 1.0)) __builtin_trap();
  }
  const double threshold = curve->threshold();
  if (!(threshold >= curve->quantiles.front() && threshold <= curve->quantiles.back()))
    __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  return fuzz::try_to([&] {
    const Calibration found = calibration(files::parse_json(text, fuzz::kName), fuzz::kName);
    check(found.known);
    check(found.discovered);
    const std::string written = to_json(found).dump();
    if (to_json(calibration(files::parse_json(written, fuzz::kName), fuzz::kName)).dump() !=
        written)
      __builtin_trap();
  });
}
