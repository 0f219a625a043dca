#include "cli/train_presets.hpp"

namespace opencd::cli {

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

Values joined(Values values, const Values& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

Values code() { return {{"method", "opencd"}}; }

/// Where the paper is silent, on stages of the learning rate for one, the authors' program holds.
Values paper() {
  return {{"method", "opencd"},
          {"losses", "paper"},
          {"lambda-reg", "1"},
          {"lambda-ce", "1"},
          {"kappa", "5"},
          {"affinity", "jaccard"},
          {"affinity-share", "1"},
          {"search", "threshold"},
          {"warm-epochs", "1"},
          {"grouping-epochs", "1000000"},
          {"ce-while-grouping", "true"}};
}

}  // namespace

std::vector<Preset> train_presets() {
  const Values cifar10 = {{"prototypes", "50"}, {"kappa", "3"}, {"affinity-share", "1"}};
  const Values cifar100 = {{"prototypes", "500"}, {"kappa", "10"}, {"affinity-share", "0.9"}};
  const Values imagenet100 = {{"prototypes", "500"}, {"stem", "imagenet"}, {"crop", "224"}};
  const auto louvain_until = [](const char* last) {
    return Values{{"search-first", "12"}, {"search-last", last}};
  };
  return {
      {kStandardPreset, {{"method", "opencd+"}}},
      {"code", code()},
      {"code-cifar10", joined(joined(code(), cifar10), louvain_until("2"))},
      {"code-cifar100", joined(joined(code(), cifar100), louvain_until("6"))},
      {"paper", paper()},
      {"paper-cifar10", joined(paper(), {{"prototypes", "50"}})},
      {"paper-cifar100", joined(paper(), {{"prototypes", "500"}})},
      {"paper-imagenet100", joined(paper(), imagenet100)},
      {"small",
       {{"width", "16"},
        {"epochs", "4"},
        {"batch", "128"},
        {"milestones", "3"},
        {"frozen-norm", "fixed"},
        {"grouping-rows", "10000"},
        {"eval-every", "2"}}},
  };
}

}  // namespace opencd::cli
