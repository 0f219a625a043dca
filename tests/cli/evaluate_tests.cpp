// `evaluate --classifier` from end to end: readers, device, network and weights against the world.
#include "data/support/real_data.hpp"
#include "support/program.hpp"

#include <nlohmann/json.hpp>

namespace opencd::test {

namespace {

constexpr const char* kWeights = "weights/resnet20-cifar10.safetensors";

ProcessResult evaluate(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"evaluate", "--classifier", "--quiet", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return opencd(arguments);
}

}  // namespace

TEST_SUITE_BEGIN("cli/evaluate");

TEST_CASE("the published ResNet-20 is right on 9173 of CIFAR-10's 10000 test pictures") {
  const auto weights = existing(test_data_root() / kWeights);
  const auto folder = real_cifar("cifar10", "cifar-10-batches-bin");
  SKIP_WITHOUT(weights, "ResNet-20 weights");
  SKIP_WITHOUT(folder, "CIFAR-10");
  const ProcessResult result =
      evaluate({"--arch", "resnet20", "--weights", weights.string(), folder.string()});
  CHECK_EQ(result.exit_code, 0);
  const auto score = nlohmann::json::parse(result.out);
  CHECK_EQ(score.at("rows"), 10'000);
  CHECK_LE(std::abs(score.at("correct").get<int>() - 9173), 3);
}

TEST_CASE("weights of another network end with 3 and name file, tensor and shape") {
  const auto weights = existing(test_data_root() / kWeights);
  SKIP_WITHOUT(weights, "ResNet-20 weights");
  const ProcessResult result = evaluate(
      {"--arch", "resnet32", "--weights", weights.string(), "synthetic:per-class=2,size=32"});
  CHECK_EQ(result.exit_code, 3);
  CHECK_NE(result.err.find("resnet20-cifar10.safetensors"), std::string::npos);
  CHECK_NE(result.err.find("\"layer1.3.conv1.weight\" [16, 16, 3, 3]"), std::string::npos);
}

TEST_CASE("missing weights, missing data and unknown networks end with their exit codes") {
  CHECK_EQ(evaluate({"--arch", "resnet20", "--weights", "/nonexistent", "synthetic"}).exit_code, 3);
  CHECK_EQ(evaluate({"--arch", "resnet20", "--weights", "/nonexistent", "/nonexistent"}).exit_code,
           3);
  CHECK_EQ(evaluate({"--arch", "resnet99", "--weights", "/nonexistent", "synthetic"}).exit_code, 2);
  CHECK_EQ(evaluate({"--arch", "resnet20", "synthetic"}).exit_code, 2);
}

TEST_SUITE_END();

}  // namespace opencd::test
