// What a run is known by: every option of the verbs that make runs is a key or says that it is harmless, and every key
// counts. An option that is new is a key until somebody thinks about it, and fails here until somebody says how it shows.
#include "cli/commands.hpp"
#include "cli/run_folder.hpp"
#include "cli/train_run.hpp"
#include "data/split_file.hpp"
#include "error.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace opencd::test {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kSet = "synthetic:classes=6,per-class=20,size=12";

/// The command line of `train`, up to where a device would be opened.
struct Train {
  CLI::App app{"program", "opencd_sycl"};
  cli::TrainOptions options;
  cli::Action action;
  CLI::App& verb = *app.add_subcommand("train", "Train");

  Train() {
    cli::add_train_options(verb, options);
    cli::define_verb(verb, options.common, action, [] { return 0; });
  }

  cli::Json keys(Words words) {
    words.insert(words.begin(), "train");
    std::reverse(words.begin(), words.end());
    app.parse(words);
    const data::ImageSet set = cli::open_data(options.data);
    return cli::plan_training(options, set, cli::open_split(options.split, set)).key_settings;
  }
};

cli::Json keys_of(Words words, const char* data = kSet) {
  words.insert(words.begin(), data);
  return Train().keys(words);
}

std::vector<CLI::Option*> options_of(CLI::App& verb) {
  return verb.get_options([](const CLI::Option* option) { return option->get_configurable(); });
}

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : option.get_lnames().front();
}

std::set<std::string> harmless_options(CLI::App& verb) {
  std::set<std::string> names;
  for (CLI::Option* option : options_of(verb))
    if (cli::run_key(*option).empty()) names.insert(name_of(*option));
  return names;
}

// Nothing of these changes a bit of what a run computes.
const std::set<std::string> kHarmless = {"device",     "eval-every",   "force",     "json",
                                         "keep-last",  "kernel-cache", "log-level", "max-hours",
                                         "mem-limit",  "name",         "out",       "preset",
                                         "progress",   "quiet",        "resume",    "runs",
                                         "save-every", "save-minutes", "threads"};

/// Another value of an option, and what must be said besides for it to matter.
struct Other {
  std::string value;  // empty: it is a flag
  Words besides = {};
};

const Words kTold = {"--classes", "6"};
const Words kDtc = {"--method", "dtc", "--classes", "6"};
const Words kRankStats = {"--method", "rankstats", "--classes", "6"};

const std::map<std::string, Other> kOthers = {
    // data and split
    {"DATA", {"synthetic:classes=6,per-class=21,size=12"}},
    {"limit", {"50"}},
    {"known", {"2"}},
    {"labeled-ratio", {"0.7"}},
    {"known-classes", {"1,4"}},
    // network and learning
    {"arch", {"resnet34"}},
    {"stem", {"imagenet"}},
    {"width", {"8"}},
    {"freeze-until", {"none"}},
    {"frozen-norm", {"fixed"}},
    {"augment", {"simclr"}},
    {"crop", {"10"}},
    {"epochs", {"7"}},
    {"batch", {"16"}},
    {"lr", {"0.5"}},
    {"weight-decay", {"0.5"}},
    {"milestones", {"3"}},
    {"gamma", {"0.3"}},
    {"seed", {"1"}},
    {"deterministic", {}},
    // methods
    {"method", {"gcd"}},
    {"classes", {"6"}},
    {"prototypes", {"20"}},
    {"tau", {"0.3"}},
    {"lambda-reg", {"0.3"}},
    {"lambda-ce", {"0.3"}},
    {"no-proto-loss", {}},
    {"no-group-loss", {}},
    {"losses", {"paper"}},
    {"kappa", {"4"}},
    {"affinity", {"jaccard"}},
    {"affinity-share", {"0.3"}},
    {"grouping", {"spectral", kTold}},
    {"count-rule", {"progressive"}},
    {"search", {"threshold"}},
    {"search-first", {"11"}},
    {"search-last", {"3"}},
    {"search-steps", {"9"}},
    {"drop-dead-prototypes", {"false"}},
    {"ce-while-grouping", {"false"}},
    {"warm-epochs", {"3"}},
    {"warm-head-only", {"false"}},
    {"grouping-epochs", {"77"}},
    {"grouping-rows", {"33"}},
    {"grouping-sets", {"3"}},
    {"grouping-labels", {"false"}},
    {"labeled-share", {"0.3"}},
    {"balanced-prediction", {"false"}},
    {"balanced-targets", {}},
    {"strong-views", {}},
    {"whole-network", {}},
    {"sup-weight", {"0.2", {"--method", "gcd"}}},
    {"most-classes", {"9", {"--method", "gcd"}}},
    {"dtc-variant", {"tep", kDtc}},
    {"tuning-share", {"0.2", kRankStats}},
    {"values-of", {"cifar100", kDtc}},
    {"consistency-weight", {"3", kRankStats}},
    {"rise-share", {"0.4", kRankStats}},
    {"warm-share", {"0.4", kDtc}},
    {"refresh-share", {"0.4", kDtc}},
    {"pseudo-threshold", {"0.5", {"--method", "fixmatch", "--classes", "6"}}},
    {"novel-share", {"0.2", {"--method", "ds3l", "--classes", "6"}}},
};

// They say how files are read; what was read is known by its hash. The last two are tried below.
const std::set<std::string> kReading = {"class-list", "format", "grey",    "labels", "image-size",
                                        "strict",     "cache",  "weights", "splits"};

}  // namespace

TEST_SUITE_BEGIN("cli/run_keys");

TEST_CASE("an option of train that is not harmless makes another run") {
  Train train;
  CHECK_EQ(harmless_options(train.verb), kHarmless);
  std::set<std::string> declared;
  for (CLI::Option* option : options_of(train.verb)) {
    const std::string name = name_of(*option);
    CAPTURE(name);
    declared.insert(name);
    if (cli::run_key(*option).empty() || kReading.contains(name)) continue;
    const auto other = kOthers.find(name);
    if (other == kOthers.end()) {
      FAIL_CHECK("give another value of --" << name << " here, or declare it harmless");
      continue;
    }
    const auto& [value, besides] = other->second;
    const cli::Json before = keys_of(besides);
    Words words = besides;
    if (name == "DATA") {
      CHECK_NE(keys_of(words, value.c_str()), before);
      continue;
    }
    words.push_back("--" + name + (value.empty() ? "" : "=" + value));
    CHECK_NE(keys_of(words), before);
  }
  for (const auto& [name, unused] : kOthers) {
    CAPTURE(name);
    CHECK(declared.contains(name));  // or it is no option any more
  }
}

TEST_CASE("a harmless option makes the same run") {
  const cli::Json before = keys_of({});
  CHECK_EQ(keys_of({"--quiet", "--save-every", "3", "--out", "x", "--threads", "1", "--device", "0",
                    "--eval-every", "4", "--preset", "plus"}),
           before);
  CHECK_EQ(before.at(cli::kNumbersKey), cli::kNumbersVersion);
  // What a preset sets counts by itself.
  CHECK_NE(keys_of({"--preset", "paper"}), before);
  CHECK_EQ(keys_of({"--preset", "small", "--epochs", "9"}).at("epochs"), 9);
  // Another method's options do not.
  CHECK_EQ(keys_of({"--sup-weight", "0.1"}), before);
}

TEST_CASE("options of pretrain and compare are those of train, or others that were thought about") {
  CLI::App app("program", "opencd_sycl");
  cli::Action action;
  cli::add_pretrain_command(app, action);
  cli::add_compare_command(app, action);
  CHECK_EQ(harmless_options(*app.get_subcommand("pretrain")), kHarmless);
  std::set<std::string> compared = kHarmless;
  for (const char* single : {"name", "resume"}) compared.erase(single);
  compared.insert({"ablation", "autoencoder-epochs", "counters", "from", "maps", "methods",
                   "most-clusters", "pca", "seeds", "sweep"});
  CHECK_EQ(harmless_options(*app.get_subcommand("compare")), compared);
  for (CLI::Option* option : options_of(*app.get_subcommand("pretrain"))) {
    const std::string key = cli::run_key(*option);
    CAPTURE(name_of(*option));
    CHECK((key.empty() || key == "data" || key == "weights" || key == name_of(*option)));
  }
}

TEST_CASE("weights and splits count by what is in their files") {
  const TemporaryFolder folder;
  const std::string one = folder.put("one.safetensors", "1");
  const std::string same = folder.put("same.safetensors", "1");
  const std::string other = folder.put("one-more.safetensors", "2");
  const cli::Json before = keys_of({"--weights", one});
  CHECK_NE(before, keys_of({}));
  const auto refusal = [&](const cli::Json& now) {
    const cli::RunFolder run({.verb = "train",
                              .out = folder / fmt::format("run-{}", folder.entries()),
                              .key_settings = before});
    return message_of<UsageError>([&] {
      cli::require_key_settings(run.path(), now);
      throw UsageError("the same");
    });
  };
  CHECK_EQ(refusal(keys_of({"--weights", same})), "the same");
  const std::string message = refusal(keys_of({"--weights", other}));
  CHECK_CONTAINS(message, "weights: one.safetensors (SHA-256 6b86b273ff34) in the run");
  CHECK_CONTAINS(message, "one-more.safetensors (SHA-256 d4735e3a265e) now");
  CHECK_CONTAINS(refusal(keys_of({})),
                 "weights: one.safetensors (SHA-256 6b86b273ff34) in the run, none now");
  CHECK_THROWS_AS(keys_of({"--weights", folder / "no.safetensors"}), FormatError);

  const data::ImageSet set = cli::open_data({.data = kSet});
  const data::OpenWorldSplit split = data::open_world_split(set, {.known = 2});
  data::write_split(split, folder / "splits.json");
  CHECK_EQ(keys_of({"--splits", folder / "splits.json"}).at("split"), split.hash());
}

TEST_CASE("an option that is keyed by what the verb does not tell is a mistake of the program") {
  const cli::Setting setting{"labels", "a.csv", "flag", "data"};
  CHECK_EQ(cli::run_keys({setting}, {{"data", "1"}}).at("data"), "1");
  CHECK_CONTAINS(message_of<UsageError>([&] { cli::run_keys({setting}, {{"split", "1"}}); }),
                 "--labels is keyed by \"data\"");
}

TEST_SUITE_END();

}  // namespace opencd::test
