// Training on real pictures, against k-means on the features that it begins with: what a user gains by it.
#include "cli/beaten_answers.hpp"
#include "support/skip.hpp"
#include "support/test_data.hpp"

namespace opencd::test {

namespace {

constexpr const char* kFashionMnist = "/usr/share/datasets/fashion-mnist";

}  // namespace

TEST_SUITE_BEGIN("cli/real_training");

TEST_CASE("on Fashion-MNIST training beats k-means on the same backbone") {
  if (!std::filesystem::exists(kFashionMnist))
    SKIP_CASE("no Fashion-MNIST; Debian's dataset-fashion-mnist has it");
  const TemporaryFolder folder;
  const std::string weights = source_folder() / "models/fashion-mnist-resnet18-w16.safetensors";
  const std::vector<std::string> task = {
      "train", "fashion-mnist", "--limit", "6000",     "--known", "5",         "--labeled-ratio",
      "0.1",   "--classes",     "10",      "--preset", "small",   "--weights", weights};
  std::vector<std::string> arguments = task;
  for (const std::string& word :
       std::vector<std::string>{"--eval-every", "0", "-o", folder / "run", "--json", "--quiet"})
    arguments.push_back(word);
  const ProcessResult result = opencd(arguments);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const nlohmann::json summary = nlohmann::json::parse(result.out);
  CHECK_EQ(summary.at("classes_found"), 10);
  const double accuracy = accuracy_of(summary);
  CHECK_GE(accuracy, trivial_accuracies(folder / "run/eval").best() + 0.5);
  CHECK_GE(accuracy, kmeans_accuracy(task) + 0.03);
}

TEST_SUITE_END();

}  // namespace opencd::test
