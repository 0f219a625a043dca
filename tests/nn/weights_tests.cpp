#include "nn/weights.hpp"

#include "error.hpp"
#include "files/input_file.hpp"
#include "files/safetensors.hpp"
#include "files/safetensors_writer.hpp"
#include "support/message.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_data.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>

namespace opencd::test {

using namespace nn;

namespace {
const std::vector<TensorSpec> kNetwork = {
    {"conv1.weight", {2, 3}}, {"bn1.bias", {2}}, {"fc.weight", {4, 2}}};

std::size_t elements(const TensorSpec& tensor) {
  std::size_t count = 1;
  for (const std::int64_t extent : tensor.shape) count *= static_cast<std::size_t>(extent);
  return count;
}

/// Different for every tensor: start, start + 1, ...
std::vector<float> counting(const TensorSpec& tensor, float start) {
  std::vector<float> values(elements(tensor));
  std::iota(values.begin(), values.end(), start);
  return values;
}

/// Tensor i counts from 100 i.
std::filesystem::path save(const TemporaryFolder& folder, const std::vector<TensorSpec>& tensors) {
  const auto path = folder / "w.safetensors";
  save_weights(path, tensors,
               [&](std::size_t i) { return counting(tensors[i], 100.0f * static_cast<float>(i)); });
  return path;
}

std::string refusal(const TemporaryFolder& folder, const std::vector<TensorSpec>& tensors) {
  const auto path = save(folder, tensors);
  const auto message = message_of<FormatError>([&] { load_weights(path, kNetwork); });
  CHECK_CONTAINS(message, path.native());
  return message;
}
}  // namespace

TEST_SUITE_BEGIN("nn/weights");

TEST_CASE("saved weights are loaded in the order asked for") {
  const TemporaryFolder folder;
  const auto path = save(folder, {kNetwork[2], kNetwork[0], kNetwork[1]});
  const auto values = load_weights(path, kNetwork);
  REQUIRE_EQ(values.size(), 3);
  CHECK_EQ(values[0], counting(kNetwork[0], 100.0f));
  CHECK_EQ(values[1], counting(kNetwork[1], 200.0f));
  CHECK_EQ(values[2], counting(kNetwork[2], 0.0f));
  CHECK_EQ(files::SafetensorsFile(path).metadata().at("format"), "pt");
}

TEST_CASE("a strict load names the tensor and both shapes") {
  const TemporaryFolder folder;
  CHECK_CONTAINS(refusal(folder, {kNetwork[0], kNetwork[2]}), "missing: \"bn1.bias\" [2]");
  CHECK_CONTAINS(refusal(folder, {kNetwork[0], {"bn1.bias", {3}}, kNetwork[2]}),
                 "wrong shape: \"bn1.bias\" is [3], expected [2]");
  CHECK_CONTAINS(refusal(folder, {kNetwork[0], {"bn1.bias", {2, 1}}, kNetwork[2]}),
                 "\"bn1.bias\" is [2, 1], expected [2]");
  CHECK_CONTAINS(refusal(folder, {kNetwork[0], kNetwork[1], kNetwork[2], {"head", {5}}}),
                 "3 of 3 tensors match; left over: \"head\" [5]");
  CHECK_CONTAINS(refusal(folder, {kNetwork[0], kNetwork[1], {"module.fc.weight", {4, 2}}}),
                 "missing: \"fc.weight\" [4, 2]; left over: \"module.fc.weight\" [4, 2]");
}

TEST_CASE("a strict load passes over PyTorch's batch counters") {
  const TemporaryFolder folder;
  const std::vector<files::TensorEntry> entries = {
      {"bn1.num_batches_tracked", files::ElementType::i64, {}},
      {"bn1.bias", files::ElementType::f32, {1}}};
  files::SafetensorsWriter writer(folder / "w", entries);
  writer.write<std::int64_t>(entries[0].name, std::vector<std::int64_t>{7});
  writer.write<float>(entries[1].name, std::vector<float>{0.5f});
  writer.commit();
  const auto values = load_weights(folder / "w", std::vector<TensorSpec>{{"bn1.bias", {1}}});
  CHECK_EQ(values, std::vector<std::vector<float>>{{0.5f}});
  const std::vector<TensorSpec> counter = {{"bn1.bias", {1}}, {"bn1.num_batches_tracked", {}}};
  CHECK_CONTAINS(message_of<FormatError>([&] { load_weights(folder / "w", counter); }),
                 "tensor \"bn1.num_batches_tracked\" is I64, expected F32");
}

TEST_CASE("a partial load takes what fits and reports the rest") {
  const TemporaryFolder folder;
  const auto path =
      save(folder, {{"conv1.weight", {2, 3}}, {"fc.weight", {1000, 2}}, {"projector.weight", {7}}});
  const auto [values, report] = load_matching_weights(path, kNetwork);
  CHECK_EQ(values[0], counting(kNetwork[0], 0.0f));
  CHECK(values[1].empty());
  CHECK(values[2].empty());
  CHECK_EQ(report.matched, 1);
  CHECK_EQ(report.summary(),
           "1 of 3 tensors match; wrong shape: \"fc.weight\" is [1000, 2], expected [4, 2]; "
           "missing: \"bn1.bias\" [2]; left over: \"projector.weight\" [7]");
}

TEST_CASE("a partial load strips prefixes, one behind the other") {
  const TemporaryFolder folder;
  const auto path = save(
      folder,
      {{"module.encoder.conv1.weight", {2, 3}}, {"backbone.bn1.bias", {2}}, {"fc.weight", {4, 2}}});
  const auto [values, report] = load_matching_weights(path, kNetwork);
  CHECK(report.complete());
  CHECK_EQ(values[0], counting(kNetwork[0], 0.0f));
  CHECK_EQ(values[1], counting(kNetwork[1], 100.0f));
  CHECK_EQ(values[2], counting(kNetwork[2], 200.0f));
}

TEST_CASE("the plain name beats a prefixed one, and two prefixed ones are refused") {
  const TemporaryFolder folder;
  const std::vector<TensorSpec> tensors = {
      {"encoder.bn1.bias", {2}}, {"module.bn1.bias", {2}}, {"bn1.bias", {2}}};
  for (const std::size_t plain : {0, 1, 2}) {
    CAPTURE(plain);
    auto ordered = tensors;
    std::swap(ordered[plain], ordered[2]);
    const auto [values, report] = load_matching_weights(save(folder, ordered), kNetwork);
    CHECK_EQ(values[1], counting(kNetwork[1], 100.0f * static_cast<float>(plain)));
    CHECK_EQ(report.left_over.size(), 2);
  }
  const auto path = save(folder, {{"encoder.bn1.bias", {2}}, {"backbone.bn1.bias", {2}}});
  CHECK_CONTAINS(message_of<FormatError>([&] { load_matching_weights(path, kNetwork); }),
                 "both \"encoder.bn1.bias\" and \"backbone.bn1.bias\" could be \"bn1.bias\"");
}

TEST_CASE("a file that fits nowhere is refused, with a few names of many") {
  const TemporaryFolder folder;
  std::vector<TensorSpec> tensors;
  for (int i = 0; i < 9; ++i) tensors.push_back({fmt::format("layer{}", i), {1}});
  const auto path = save(folder, tensors);
  const auto message = message_of<FormatError>([&] { load_matching_weights(path, kNetwork); });
  CHECK_CONTAINS(message, "has nothing for this network: 0 of 3 tensors match");
  CHECK_CONTAINS(message, "\"layer3\" [1] and 5 more");
}

TEST_CASE("values that are not finite are neither saved nor loaded") {
  const TemporaryFolder folder;
  const auto path = save(folder, kNetwork);
  const std::string before = files::read_text_file(path, 1 << 20);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_CONTAINS(message_of<NonFiniteError>([&] {
                   save_weights(path, kNetwork, [&](std::size_t i) {
                     return std::vector<float>(elements(kNetwork[i]), i == 1 ? nan : 0.0f);
                   });
                 }),
                 "tensor \"bn1.bias\" is nan at element 0");
  CHECK_EQ(files::read_text_file(path, 1 << 20), before);
  CHECK_EQ(folder.entries(), 1);

  const std::vector<files::TensorEntry> entries = {{"bn1.bias", files::ElementType::f32, {2}}};
  files::SafetensorsWriter writer(folder / "bad", entries);
  writer.write<float>("bn1.bias", std::vector<float>{1.0f, -INFINITY});
  writer.commit();
  CHECK_CONTAINS(message_of<FormatError>([&] { load_matching_weights(folder / "bad", kNetwork); }),
                 "tensor \"bn1.bias\" holds -inf at element 1");
}

TEST_CASE("the published ResNet-20 fits a network that expects its tensors") {
  const auto path = test_data("weights/resnet20-cifar10.safetensors");
  if (!path) SKIP_CASE("no weights/resnet20-cifar10.safetensors below OPENCD_TEST_DATA");
  std::vector<TensorSpec> network;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
    network.push_back({name, std::move(shape)});
  };
  const auto add_norm = [&](const std::string& name, std::int64_t channels) {
    for (const char* part : {"weight", "bias", "running_mean", "running_var"})
      add(fmt::format("{}.{}", name, part), {channels});
  };
  add("conv1.weight", {16, 3, 3, 3});
  add_norm("bn1", 16);
  for (const std::int64_t stage : {1, 2, 3})
    for (const int block : {0, 1, 2}) {
      const auto name = fmt::format("layer{}.{}.", stage, block);
      const std::int64_t channels = std::int64_t{8} << stage;
      const std::int64_t inputs = block == 0 && stage > 1 ? channels / 2 : channels;
      add(name + "conv1.weight", {channels, inputs, 3, 3});
      add_norm(name + "bn1", channels);
      add(name + "conv2.weight", {channels, channels, 3, 3});
      add_norm(name + "bn2", channels);
    }
  add("linear.weight", {10, 64});
  add("linear.bias", {10});
  CHECK_EQ(load_weights(*path, network).size(), 97);
}

TEST_SUITE_END();

}  // namespace opencd::test
