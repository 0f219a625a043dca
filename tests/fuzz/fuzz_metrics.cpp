// The metrics of a run as a crash may have left them: the step to resume from in one byte, metrics.jsonl, a line
// "--", metrics.csv. What is cut is an end of each file, nothing is cut twice, and a record goes on from there.
#include "files/metrics_log.hpp"
#include "fuzz_folder.hpp"

using namespace opencd;

namespace {

constexpr std::string_view kBetween = "\n--\n";
constexpr std::string_view kHeader = "step,epoch,loss\n";

struct Files {
  std::string json_lines, csv;
  bool operator==(const Files&) const = default;
};

/// The files once they were opened to go on after `step`, and a record was added if `add`.
Files reopened(std::int64_t step, bool add) {
  const auto& folder = fuzz::work_folder();
  {
    files::MetricsLog log(folder,
                          {.columns = {"loss"}, .resume_step = step, .clock = [] { return 1e9; }});
    if (add) log.add({.step = step + 1, .epoch = 1, .values = {{"loss", 0.5}}});
  }
  return {fuzz::get(folder / "metrics.jsonl"), fuzz::get(folder / "metrics.csv")};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::int64_t step = bytes[0];
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::size_t cut = std::min(text.find(kBetween), text.size());
  const std::string_view json_lines = text.substr(0, cut == text.size() ? cut : cut + 1);
  const std::string_view csv =
      cut == text.size() ? std::string_view() : text.substr(cut + kBetween.size());
  const auto& folder = fuzz::work_folder();
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    std::filesystem::remove(entry);
  fuzz::put(folder / "metrics.jsonl", json_lines);
  fuzz::put(folder / "metrics.csv", csv);
  return fuzz::try_to([&] {
    const Files kept = reopened(step, false);
    if (!json_lines.starts_with(kept.json_lines)) __builtin_trap();
    if (!csv.starts_with(kept.csv) && kept.csv != kHeader) __builtin_trap();
    if (reopened(step, false) != kept) __builtin_trap();
    const Files longer = reopened(step, true);
    if (longer.json_lines != kept.json_lines + "{\"step\":" + std::to_string(step + 1) +
                                 ",\"epoch\":1,\"loss\":0.5}\n" ||
        longer.csv != kept.csv + std::to_string(step + 1) + ",1,0.5\n")
      __builtin_trap();
    if (reopened(step + 1, false) != longer || reopened(step, false) != kept) __builtin_trap();
  });
}
