#include "files/safetensors.hpp"

#include "error.hpp"
#include "files/safetensors_writer.hpp"
#include "support/file_content.hpp"
#include "support/message.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_data.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace opencd::test {

using namespace files;

namespace {
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The tensors of tests/golden/make_safetensors.py, in the order of that script.
const std::vector<TensorEntry> kEntries = {
    {"conv1.weight", ElementType::f32, {2, 3}}, {"half", ElementType::f16, {5}},
    {"brain", ElementType::bf16, {3}},          {"empty", ElementType::f32, {0, 3}},
    {"scalar", ElementType::f64, {}},           {"bn1.num_batches_tracked", ElementType::i64, {}},
    {"labels", ElementType::i32, {2}},          {"größe\t", ElementType::u8, {3}},
};
const std::vector<float> kConv1 = {0.0f, -1.5f, 3.25f, 1e-45f, kInfinity, 1.0f / 3.0f};
const std::vector<double> kScalar = {1.0 / 3.0};
const std::vector<std::int64_t> kBatches = {(std::int64_t{1} << 40) + 1};
const std::vector<std::int32_t> kLabels = {-1, std::numeric_limits<std::int32_t>::max()};
const std::vector<std::uint8_t> kBytes = {0, 128, 255};
const std::vector<std::uint16_t> kHalfBits = {0x3c00, 0xc000, 0x7bff, 0x0001, 0xfc00};
const std::vector<std::uint16_t> kBrainBits = {0x3f80, 0x8000, 0x4049};
const Metadata kMetadata = {{"format", "pt"}, {"note", "línea\n\"quoted\" \x01\x7f"}};

void write_tensor(SafetensorsWriter& writer, std::string_view name) {
  if (name == "conv1.weight") writer.write<float>(name, kConv1);
  if (name == "empty") writer.write<float>(name, {});
  if (name == "scalar") writer.write<double>(name, kScalar);
  if (name == "bn1.num_batches_tracked") writer.write<std::int64_t>(name, kBatches);
  if (name == "labels") writer.write<std::int32_t>(name, kLabels);
  if (name == "größe\t") writer.write<std::uint8_t>(name, kBytes);
  if (name == "half")
    writer.write_bytes(name, ElementType::f16, std::as_bytes(std::span(kHalfBits)));
  if (name == "brain")
    writer.write_bytes(name, ElementType::bf16, std::as_bytes(std::span(kBrainBits)));
}

void write_golden(const std::filesystem::path& path, const std::vector<TensorEntry>& entries) {
  SafetensorsWriter writer(path, entries, kMetadata);
  for (const TensorEntry& entry : entries) write_tensor(writer, entry.name);
  writer.commit();
}

/// As the Python library orders tensors: the most aligned type first (a 64-bit integer before a
/// 64-bit float, and so on), then by name.
std::vector<TensorEntry> in_python_order() {
  std::vector<TensorEntry> ordered;
  for (const std::size_t i : {5, 4, 0, 3, 6, 2, 1, 7}) ordered.push_back(kEntries[i]);
  return ordered;
}

void check_golden_values(const SafetensorsFile& file) {
  CHECK_EQ(file.metadata(), kMetadata);
  REQUIRE_EQ(file.tensors().size(), kEntries.size());
  for (const TensorEntry& entry : kEntries) {
    CAPTURE(entry.name);
    const TensorInfo* tensor = file.find(entry.name);
    REQUIRE(tensor != nullptr);
    CHECK_EQ(tensor->type, entry.type);
    CHECK_EQ(tensor->shape, entry.shape);
  }
  CHECK_EQ(file.read_f32("conv1.weight"), kConv1);
  CHECK_EQ(file.read_f32("half"), std::vector{1.0f, -2.0f, 65504.0f, 0x1p-24f, -kInfinity});
  CHECK_EQ(file.read_f32("brain"), std::vector{1.0f, -0.0f, 3.140625f});
  CHECK(std::signbit(file.read_f32("brain")[1]));
  CHECK(file.read_f32("empty").empty());
  CHECK_EQ(file.read<double>("scalar"), kScalar);
  CHECK_EQ(file.read<std::int64_t>("bn1.num_batches_tracked"), kBatches);
  CHECK_EQ(file.read<std::int32_t>("labels"), kLabels);
  CHECK_EQ(file.read<std::uint8_t>("größe\t"), kBytes);
}

}  // namespace

TEST_SUITE_BEGIN("files/safetensors");

TEST_CASE("a file of the Python library is read exactly") {
  check_golden_values(SafetensorsFile(golden("python.safetensors")));
  check_golden_values(SafetensorsFile(golden("declared.safetensors")));
}

TEST_CASE("every type survives writing and reading") {
  const TemporaryFolder folder;
  write_golden(folder / "all.safetensors", kEntries);
  check_golden_values(SafetensorsFile(folder / "all.safetensors"));
}

TEST_CASE("the bytes are those of the Python library for the same order") {
  const TemporaryFolder folder;
  write_golden(folder / "a.safetensors", in_python_order());
  CHECK_EQ(content(folder / "a.safetensors"), content(golden("python.safetensors")));
  write_golden(folder / "b.safetensors", kEntries);
  CHECK_EQ(content(folder / "b.safetensors"), content(golden("declared.safetensors")));
}

TEST_CASE("a file without tensors or metadata is a file") {
  const TemporaryFolder folder;
  SafetensorsWriter(folder / "none", {}).commit();
  const SafetensorsFile file(folder / "none");
  CHECK(file.tensors().empty());
  CHECK(file.metadata().empty());
  CHECK_EQ(content(folder / "none"), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
}

TEST_CASE("half-precision tensors longer than one block of the reader are read exactly") {
  const TemporaryFolder folder;
  std::vector<std::uint16_t> bits(10'007);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  const std::vector<TensorEntry> entries = {{"long", ElementType::f16, {10'007}}};
  SafetensorsWriter writer(folder / "f", entries);
  writer.write_bytes("long", ElementType::f16, std::as_bytes(std::span(bits)));
  writer.commit();
  const auto values = SafetensorsFile(folder / "f").read_f32("long");
  REQUIRE_EQ(values.size(), bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) REQUIRE_EQ(values[i], f16_to_f32(bits[i]));
}

TEST_CASE("a reader asked for what the file does not hold names it") {
  const SafetensorsFile file(golden("python.safetensors"));
  CHECK_EQ(file.find("nothing"), nullptr);
  const auto missing = message_of<FormatError>([&] { file.read_f32("nothing"); });
  CHECK_CONTAINS(missing, "python.safetensors\": no tensor \"nothing\"");
  const auto type = message_of<FormatError>([&] { file.read_f32("labels"); });
  CHECK_CONTAINS(type, "tensor \"labels\" is I32, expected F32");
  CHECK_THROWS_AS(file.read<double>("conv1.weight"), FormatError);
}

TEST_CASE("a writer refuses what was not declared, and leaves nothing") {
  const TemporaryFolder folder;
  const std::vector<TensorEntry> two = {{"a", ElementType::f32, {2}}, {"b", ElementType::f32, {1}}};
  const std::vector<float> values = {1.0f, 2.0f};
  {
    SafetensorsWriter writer(folder / "f", two);
    CHECK_THROWS_AS(writer.write<float>("b", values), ShapeError);
    CHECK_THROWS_AS(writer.write<float>("a", std::span(values).first(1)), ShapeError);
    CHECK_THROWS_AS(writer.write<double>("a", std::vector{1.0}), ShapeError);
    writer.write<float>("a", values);
    CHECK_THROWS_AS(writer.commit(), ShapeError);
    writer.write<float>("b", std::span(values).first(1));
    CHECK_THROWS_AS(writer.write<float>("c", values), ShapeError);
  }
  const auto declare = [&](std::vector<TensorEntry> entries) {
    SafetensorsWriter(folder / "f", entries);
  };
  CHECK_THROWS_AS(declare({two[0], two[0]}), ShapeError);
  CHECK_THROWS_AS(declare({{"__metadata__", ElementType::u8, {1}}}), ShapeError);
  CHECK_THROWS_AS(declare({{"a", ElementType::u8, {-1}}}), ShapeError);
  CHECK_THROWS_AS(declare({{"a", ElementType::f64, {1ll << 61}}}), ShapeError);
  CHECK_THROWS_AS(declare({{"\xff", ElementType::u8, {1}}}), FormatError);
  CHECK_EQ(folder.entries(), 0);
}

TEST_CASE("the published ResNet-20 is read with its names and shapes") {
  const auto path = test_data("weights/resnet20-cifar10.safetensors");
  if (!path) SKIP_CASE("no weights/resnet20-cifar10.safetensors below OPENCD_TEST_DATA");
  const SafetensorsFile file(*path);
  CHECK_EQ(file.tensors().size(), 97);
  CHECK_EQ(file.metadata().at("format"), "pt");
  CHECK_EQ(file.tensors().front().name, "conv1.weight");
  CHECK_EQ(file.tensors().front().shape, std::vector<std::int64_t>{16, 3, 3, 3});
  CHECK_EQ(file.find("layer3.2.conv2.weight")->shape, std::vector<std::int64_t>{64, 64, 3, 3});
  CHECK_EQ(file.find("linear.weight")->shape, std::vector<std::int64_t>{10, 64});
  for (const TensorInfo& tensor : file.tensors())
    for (const float value : file.read_f32(tensor.name)) REQUIRE(std::isfinite(value));
}

TEST_SUITE_END();

}  // namespace opencd::test
