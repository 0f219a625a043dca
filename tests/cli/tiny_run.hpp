// A run of a few seconds on six synthetic classes, made by the program and shared by the cases of a
// test binary.
#pragma once

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

class TinyRun {
 public:
  static constexpr const char* kData = "synthetic:classes=6,per-class=60,size=16";

  explicit TinyRun(const std::string& data = kData, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "train",           data,  "-o",           path(),  "--width",        "8",
        "--crop",          "0",   "--classes",    "6",     "--freeze-until", "none",
        "--labeled-ratio", "0.5", "--prototypes", "24",    "--warm-epochs",  "1",
        "--eval-every",    "0",   "--progress",   "never", "--json"};
    const std::vector<std::string> brief = {"--batch",           "64", "--epochs", "12",
                                            "--grouping-epochs", "8"};
    arguments.insert(arguments.end(), more.empty() ? brief.begin() : more.begin(),
                     more.empty() ? brief.end() : more.end());
    trained_ = opencd(arguments);
    REQUIRE_EQ(trained_.exit_code, 0);
  }

  std::string path() const { return folder_ / "run"; }
  std::filesystem::path operator/(const std::string& name) const {
    return std::filesystem::path(path()) / name;
  }
  /// What `train --json` said.
  nlohmann::json summary() const { return nlohmann::json::parse(trained_.out); }

  /// A copy that a case may change.
  std::string copy_to(const TemporaryFolder& folder) const {
    const std::filesystem::path copy = folder / "copy";
    std::filesystem::copy(
        path(), copy,
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
    return copy;
  }

 private:
  TemporaryFolder folder_;
  ProcessResult trained_;
};

inline const TinyRun& tiny_run() {
  static const TinyRun run;
  return run;
}

}  // namespace opencd::test
