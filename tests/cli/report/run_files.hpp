// The files of a small run as `train` leaves them, with names that would like to be more than text.
#pragma once

#include "support/temporary_folder.hpp"

#include <filesystem>
#include <string>

namespace opencd::test {

constexpr const char* kEvilClass = "<script>alert(1)</script>";

/// Writes a run of three classes and three groups, six rows, into folder/name.
inline std::string write_run(const TemporaryFolder& folder,
                             const std::string& name,
                             int seed = 2023,
                             double all = 0.8,
                             const std::string& more_settings = "",
                             const std::string& method = "opencd") {
  const std::filesystem::path run = folder / name;
  std::filesystem::create_directories(run / "eval");
  const auto put = [&](const std::string& file, const std::string& text) {
    folder.put(name + "/" + file, text);
  };
  put("args.json",
      R"({"verb": "train", "command_line": [], "started": "2026-01-02T03:04:05Z", "settings": {
    "data": {"value": "my pictures", "source": "flag"}, "known": {"value": 1, "source": "flag"},
    "grey": {"value": true, "source": "file"}, "strict": {"value": false, "source": "flag"},
    "method": {"value": ")" +
          method + R"(", "source": "default"}, "epochs": {"value": 3, "source": "preset"},
    "out": {"value": ")" +
          name + R"(", "source": "flag"}, )" + more_settings + R"("seed": {"value": )" +
          std::to_string(seed) + R"(, "source": "flag"}}})");
  put("env.json", R"({"version": "0.1.0", "device": {"name": "a <device>"}})");
  put("metrics.jsonl",
      "{\"step\":10,\"epoch\":0,\"train/loss\":2.5,\"train/lr\":0.1}\n"
      "{\"step\":20,\"epoch\":1,\"train/loss\":null}\n"
      "{\"step\":20,\"epoch\":1,\"val/all\":0.75,\"val/classes_found\":3}\n"
      "{\"step\":30,\"epo");
  put("eval/summary.json",
      R"({"rows": 6, "classes_true": 3, "classes_found": 3, "classes_interval": [2, 4],
      "orca": {"known": 1.0, "novel": 0.7, "all": )" +
          std::to_string(all) + R"(}, "nmi": 0.5, "ari": 0.4,
      "split": "unlabelled training rows", "groups": [
        {"group": 0, "size": 2, "known_class": "cat", "name": "cat"},
        {"group": 1, "size": 3, "known_class": null, "name": "group 1"},
        {"group": 2, "size": 1, "known_class": null, "name": "=a, \"b\""},
        {"group": 3, "size": 0, "known_class": null, "name": "group 3"}]})");
  const std::string evil = kEvilClass;
  put("eval/per_class.csv",
      "class,known,group,rows,group_rows,correct,recall,precision\n"
      "cat,yes,0,2,2,2,1.000000,1.000000\n" +
          evil +
          ",no,1,3,3,2,0.666667,0.666667\n\"'=a, \"\"b\"\"\",no,2,1,1,0,0.000000,0.000000\n");
  put("eval/predictions.csv",
      "row,path,class,group,name,confidence,margin,likeness\n"
      "3,a.png,cat,0,cat,0.900000,0.800000,0.700000\n"
      "4,\"b\x1b[31m\n,\"\"<b>.png\",cat,0,cat,0.950000,0.100000,0.900000\n"
      "5,c.png," +
          evil +
          ",1,group 1,0.500000,0.300000,0.100000\n"
          "6,d.png," +
          evil +
          ",1,group 1,0.600000,0.200000,0.300000\n"
          "7,e.png,\"'=a, \"\"b\"\"\",1,group 1,0.400000,0.250000,0.200000\n"
          "8,f.png," +
          evil + ",2,x,0.300000,0.050000,-0.200000\n");
  return run.string();
}

}  // namespace opencd::test
