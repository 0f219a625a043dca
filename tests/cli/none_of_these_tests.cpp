// "None of these" as `predict` says it: rarely of what belongs, mostly of what does not. Three classes
// are known and three were discovered.
#include "cli/tiny_run.hpp"
#include "data/support/npy_files.hpp"
#include "support/random.hpp"

namespace opencd::test {

namespace {

using Json = nlohmann::json;

Json predictions(const TinyRun& run, const std::string& data) {
  const ProcessResult result = opencd({"predict", run.path(), data, "--json", "--quiet"});
  REQUIRE_EQ(result.exit_code, 0);
  return Json::parse(result.out).at("predictions");
}

/// The share of rows that are none of these, among training rows of the classes first to last - 1 of
/// `classes`, which take turns.
double flagged(const Json& rows, std::size_t classes, std::size_t first, std::size_t last) {
  std::size_t all = 0;
  std::size_t none = 0;
  for (const Json& row : rows) {
    const std::size_t cls = row.at("row").get<std::size_t>() % classes;
    if (row.at("part") != "train" || cls < first || cls >= last) continue;
    ++all;
    none += row.at("none_of_these").get<bool>() ? 1 : 0;
  }
  return static_cast<double>(none) / static_cast<double>(all);
}

/// Pictures of pure noise: of no class at all.
std::string write_noise(const TempFolder& folder, std::size_t count) {
  Random random(3);
  ByteVector pixels(count * 16 * 16 * 3);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random.below(256));
  return folder.write("noise.npy", npy_file("|u1", fmt::format("({}, 16, 16, 3)", count), pixels));
}

}  // namespace

TEST_SUITE_BEGIN("cli/none_of_these");

TEST_CASE("fresh rows of learned classes are hardly ever none of these, others mostly are") {
  const TinyRun run("synthetic:classes=6,per-class=200,size=16",
                    {"--batch", "128", "--epochs", "30", "--grouping-epochs", "15"});
  // New pictures of the six classes, and of six more that nobody has seen.
  const Json rows = predictions(run, "synthetic:classes=12,per-class=200,seed=7");
  const double known = flagged(rows, 12, 0, 3);
  const double discovered = flagged(rows, 12, 3, 6);
  const double unseen = flagged(rows, 12, 6, 12);
  const TempFolder folder;
  const double noise = flagged(predictions(run, write_noise(folder, 300)), 1, 0, 1);
  MESSAGE("none of these: known " << known << ", discovered " << discovered << ", unseen " << unseen
                                  << ", noise " << noise);
  // 120 held-out rows make each curve: its level of 5 % has a deviation of sqrt(0.05 * 0.95 / 120),
  // 2 %, and rows of discovered classes may also be in groups of known ones.
  CHECK_GE(known, 0.005);
  CHECK_LE(known, 0.05 + 3 * 0.02);
  CHECK_LE(discovered, 0.05 + 5 * 0.02);
  CHECK_GE(unseen, 0.25);
  CHECK_GE(noise, 0.5);
  CHECK_GE(unseen, 3 * known);
}

TEST_SUITE_END();

}  // namespace opencd::test
