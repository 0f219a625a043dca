#include "cli/settings.hpp"

#include "cli/options.hpp"
#include "error.hpp"
#include "files/toml_file.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

namespace opencd::test {

namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// A variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  Variable(Variable&&) = delete;
  ~Variable() { ::unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

/// A program with one verb that has options of every kind.
struct Program {
  CLI::App app{"program", "opencd_sycl"};
  cli::CommonOptions common;
  cli::Action action;
  std::string data;
  int kappa = 3;
  double labeled_ratio = 0.1;
  std::string grouping = "louvain";
  bool grey = false;
  bool proto_loss = true;
  std::size_t limit = 0;
  std::vector<double> mean;
  std::vector<std::string> names = {"a", "b"};

  Program() {
    CLI::App* verb = app.add_subcommand("train", "Train");
    verb->add_option("DATA", data, "What to train on")->required();
    cli::add_preset_option(*verb, common.sources,
                           {{"code", {{"kappa", "3"}}},
                            {"paper", {{"kappa", "5"}, {"grouping", "spectral"}}},
                            {"ablation", {{"no-proto-loss", "true"}}}},
                           "code");
    verb->add_option("--kappa", kappa, "Top prototypes")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    verb->add_option("--labeled-ratio", labeled_ratio, "Share with labels")->capture_default_str();
    verb->add_option("-g,--grouping", grouping, "How to group")
        ->check(CLI::IsMember({"louvain", "spectral"}))
        ->capture_default_str();
    verb->add_flag("--grey", grey, "Grey pictures");
    verb->add_flag("!--no-proto-loss", proto_loss, "Leave out a loss");
    verb->add_option("--limit", limit, "First rows")->check(CLI::PositiveNumber);
    verb->add_option("--mean", mean, "Means")->delimiter(',');
    verb->add_option("--names", names, "Names")->delimiter(',')->capture_default_str();
    cli::define_verb(*verb, common, action, [] { return 0; });
  }

  CLI::App& verb() { return *app.get_subcommand("train"); }

  Program& read(Words words) {
    words.insert(words.begin(), "train");
    std::reverse(words.begin(), words.end());
    app.parse(words);
    return *this;
  }

  std::string source(const std::string& key) const {
    return cli::to_json(common.sources.settings).at(key).at("source");
  }
  Json value(const std::string& key) const {
    return cli::to_json(common.sources.settings).at(key).at("value");
  }
};

std::string refusal(const Words& words) {
  return message_of<UsageError>([&] { Program().read(words); });
}

}  // namespace

TEST_SUITE_BEGIN("cli/settings");

TEST_CASE(
    "flags win over the environment, that over the file, that over the preset, that over "
    "defaults") {
  const TemporaryFolder folder;
  const std::string file = folder.put("f.toml", "kappa = 7\npreset = \"paper\"\ndata = \"d\"\n");
  Program defaults;
  defaults.read({"d"});
  CHECK_EQ(defaults.kappa, 3);
  CHECK_EQ(defaults.source("kappa"), "preset");
  CHECK_EQ(defaults.source("grouping"), "default");
  Program preset;
  preset.read({"d", "--preset", "paper"});
  CHECK_EQ(preset.kappa, 5);
  CHECK_EQ(preset.grouping, "spectral");
  CHECK_EQ(preset.source("grouping"), "preset");
  Program from_file;
  from_file.read({"-c", file});
  CHECK_EQ(from_file.kappa, 7);
  CHECK_EQ(from_file.grouping, "spectral");
  CHECK_EQ(from_file.source("kappa"), "file");
  CHECK_EQ(from_file.data, "d");
  const Variable variable("OPENCD_KAPPA", "8");
  Program environment;
  environment.read({"-c", file});
  CHECK_EQ(environment.kappa, 8);
  CHECK_EQ(environment.source("kappa"), "environment");
  Program set;
  set.read({"--set", "kappa=9", "-c", file, "--set", "kappa=10"});
  CHECK_EQ(set.kappa, 10);
  CHECK_EQ(set.source("kappa"), "flag");
  Program flag;
  flag.read({"--kappa", "11", "-c", file, "--set", "kappa=9"});
  CHECK_EQ(flag.kappa, 11);
  CHECK_EQ(flag.source("kappa"), "flag");
}

TEST_CASE("every kind of option can be set from a file, and is recorded with its type") {
  const TemporaryFolder folder;
  const std::string file = folder.put("f.toml",
                                      "data = \"d\"\nlabeled_ratio = 0.5\ngrouping = 'spectral'\n"
                                      "grey = true\nno-proto-loss = true\nlimit = 12\n"
                                      "mean = [0.5, 0.25]\nnames = []\nseed = 5\njson = true\n");
  Program program;
  program.read({"-c", file});
  CHECK_EQ(program.labeled_ratio, 0.5);
  CHECK_EQ(program.grouping, "spectral");
  CHECK(program.grey);
  CHECK_FALSE(program.proto_loss);
  CHECK_EQ(program.limit, 12);
  CHECK((program.mean == std::vector<double>{0.5, 0.25}));
  CHECK_EQ(program.common.seed, 5);
  CHECK(program.common.json);
  CHECK_EQ(program.value("labeled-ratio"), 0.5);
  CHECK_EQ(program.value("grouping"), "spectral");
  CHECK_EQ(program.value("grey"), true);
  CHECK_EQ(program.value("no-proto-loss"), true);
  CHECK_EQ(program.value("mean"), Json({0.5, 0.25}));
  CHECK_EQ(program.value("limit"), 12);
  CHECK_EQ(program.source("names"), "default");  // an empty list says nothing
}

TEST_CASE("defaults are recorded with their type too") {
  Program program;
  program.read({"d"});
  CHECK_EQ(program.value("kappa"), 3);
  CHECK_EQ(program.value("labeled-ratio"), 0.1);
  CHECK_EQ(program.value("grey"), false);
  CHECK_EQ(program.value("no-proto-loss"), false);
  CHECK_EQ(program.value("limit"), 0);
  CHECK_EQ(program.value("mean"), Json::array());
  CHECK_EQ(program.value("names"), Json({"a", "b"}));
  CHECK_EQ(program.value("device"), "auto");
  CHECK_EQ(program.value("data"), "d");
  const Json all = cli::to_json(program.common.sources.settings);
  for (const char* key : {"help", "config", "set", "fill-in"}) CHECK_FALSE(all.contains(key));
}

TEST_CASE("of several presets the last one that speaks of an option counts") {
  Program both;
  both.read({"d", "--preset", "paper,code"});
  CHECK_EQ(both.kappa, 3);
  CHECK_EQ(both.grouping, "spectral");
  CHECK_EQ(both.source("grouping"), "preset");
  CHECK_EQ(Program().read({"d", "--preset", "code,paper"}).kappa, 5);
  CHECK_EQ(Program().read({"d", "--preset", "code,paper", "--kappa", "9"}).kappa, 9);
  CHECK_CONTAINS(
      refusal({"d", "--preset", "code,papr"}),
      "there is no preset 'papr' (did you mean paper?); there are code, paper, ablation");
}

TEST_CASE("false in a file leaves a flag as it is; a preset can set one") {
  const TemporaryFolder folder;
  const std::string file = folder.put("f.toml", "grey = false\nno_proto_loss = false\n");
  Program program;
  program.read({"d", "-c", file});
  CHECK_FALSE(program.grey);
  CHECK(program.proto_loss);
  CHECK_FALSE(Program().read({"d", "--preset", "ablation"}).proto_loss);
  CHECK(Program().read({"d", "--preset", "ablation", "-c", file}).proto_loss);
}

TEST_CASE("unknown keys are refused with where they stand and the nearest name") {
  const TemporaryFolder folder;
  const std::string file = folder.put("f.toml", "seed = 1\nkapa = 7\n");
  CHECK_CONTAINS(refusal({"d", "-c", file}),
                 "f.toml, line 2: unknown key 'kapa'; did you mean kappa?");
  CHECK_CONTAINS(refusal({"d", "--set", "groping=x"}), "did you mean grouping?");
  CHECK_CONTAINS(refusal({"d", "--set", "config=x"}), "unknown key 'config'");
  CHECK_CONTAINS(refusal({"d", "--set", "kappa"}), "--set: expected key=value, got 'kappa'");
  // Even where a flag would win.
  CHECK_CONTAINS(refusal({"d", "--kappa", "4", "-c", file}), "unknown key 'kapa'");
}

TEST_CASE("values that an option does not take are refused with where they stand") {
  const TemporaryFolder folder;
  const auto file = [&](const char* text) { return folder.put("f.toml", text).string(); };
  CHECK_CONTAINS(refusal({"d", "-c", file("kappa = 500")}), "f.toml, line 1: --kappa");
  CHECK_CONTAINS(refusal({"d", "-c", file("kappa = \"x\"")}), "f.toml, line 1: ");
  CHECK_CONTAINS(refusal({"d", "-c", file("kappa = [1, 2]")}), "kappa takes one value, got 2");
  CHECK_CONTAINS(refusal({"d", "-c", file("grey = 'perhaps'")}), "line 1: ");
  CHECK_CONTAINS(refusal({"d", "--set", "grouping=x"}), "--set grouping=x: --grouping");
  const Variable variable("OPENCD_KAPPA", "many");
  CHECK_CONTAINS(refusal({"d"}), "OPENCD_KAPPA: ");
}

TEST_CASE("what is required may come from a file, and is missed if nothing gives it") {
  CHECK_THROWS_AS(Program().read({}), CLI::RequiredError);
  CHECK_EQ(Program().read({"--set", "data=here"}).data, "here");
}

TEST_CASE("--set takes one word, so that DATA may follow") {
  Program program;
  program.read({"--set", "kappa=4", "d"});
  CHECK_EQ(program.data, "d");
  CHECK_EQ(program.kappa, 4);
}

TEST_CASE("help comes before complaints about a file, and does not show inner options") {
  CHECK_THROWS_AS(Program().read({"--help", "-c", "/no/such.toml"}), CLI::CallForHelp);
  Program program;
  const std::string help = program.verb().help();
  CHECK_CONTAINS(help, "--set");
  CHECK_FALSE(contains(help, "fill-in"));
}

TEST_CASE("the default configuration reads back to the defaults, with a comment on every key") {
  const TemporaryFolder folder;
  const std::string text = cli::default_configuration(Program().verb());
  CHECK_CONTAINS(text, "\n# Top prototypes\nkappa = 3\n");
  CHECK_CONTAINS(text, "\n# First rows\n#: limit = \n");
  CHECK_CONTAINS(text, "\nnames = [\"a\", \"b\"]\n");
  Program plain;
  plain.read({"d"});
  Program read;
  read.read({"d", "-c", folder.put("f.toml", text).string()});
  for (const cli::Setting& setting : plain.common.sources.settings) {
    CAPTURE(setting.key);
    CHECK_EQ(read.value(setting.key), setting.value);
    CHECK_CONTAINS(text, setting.key + " = ");
  }
  CHECK_EQ(read.source("kappa"), "file");
}

TEST_SUITE_END();

}  // namespace opencd::test
