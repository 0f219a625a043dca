// Real data sets against checksums that NumPy and Pillow computed from the official files.
#include "data/content_hash.hpp"
#include "data/open_data_set.hpp"
#include "data/open_world_split.hpp"
#include "data/support/real_data.hpp"

namespace opencd::test {

using namespace data;

namespace {

std::string hex(std::span<const std::uint8_t> bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.digits();
}

std::string pixels_of(const ImageRows& rows) { return hex(rows.pixels.view()); }

std::string labels_of(const ImageRows& rows) {
  return hex(std::vector<std::uint8_t>(rows.labels.begin(), rows.labels.end()));
}

void check_split(const ImageSet& set, std::size_t known, double ratio, std::size_t labeled) {
  const OpenWorldSplit split = open_world_split(set, {.known = known, .labeled_ratio = ratio});
  CHECK_EQ(split.labeled.size(), labeled);
  CHECK_EQ(split.unlabeled.size(), 50'000 - labeled);
}

}  // namespace

TEST_SUITE_BEGIN("data/real_sets");

TEST_CASE("CIFAR-10 is read byte for byte and split as published") {
  const auto folder = real_cifar("cifar10", "cifar-10-batches-bin");
  SKIP_WITHOUT(folder, "CIFAR-10");
  const ImageSet set = open_data_set(folder);
  CHECK_EQ(set.train.size(), 50'000);
  CHECK_EQ(set.test.size(), 10'000);
  CHECK_EQ(pixels_of(set.train),
           "47af8b02cfcfb6cdf3dbbd1969ad7f1b70f4413f6f80f437b020ee4e5bc8304a");
  CHECK_EQ(labels_of(set.train),
           "2b7cd2f24487317614016b72ffd53071c3062f592f0eb300c18a770d41ae1253");
  CHECK_EQ(pixels_of(set.test), "f9b1e2130bab680db56eb06d886f7f1ad0f1183907ceff4659d1735c890f5b04");
  CHECK_EQ(labels_of(set.test), "cec8a24a1e92aa2ecaa0bbd3dbfa86bf6cd8759fbd209a832824c8cf0afca9d5");
  CHECK_EQ(set.class_names[0], "airplane");
  CHECK_EQ(rows_per_class(set.train.labels, 10), std::vector<std::size_t>(10, 5'000));
  check_split(set, 5, 0.1, 2'597);
  check_split(set, 5, 0.5, 12'597);
  const std::size_t sweep[] = {492, 1021, 1558, 2104, 2597, 3113, 3611, 4093, 4630};
  for (std::size_t known = 1; known <= 9; ++known) check_split(set, known, 0.1, sweep[known - 1]);
}

TEST_CASE("CIFAR-100 is read byte for byte with fine labels and split as published") {
  const auto folder = real_cifar("cifar100", "cifar-100-binary");
  SKIP_WITHOUT(folder, "CIFAR-100");
  const ImageSet set = open_data_set(folder);
  CHECK_EQ(pixels_of(set.train),
           "4e457917601a66aed021f5fa37957b56c6319557c0a8ed5484de3c390af45430");
  CHECK_EQ(labels_of(set.train),
           "9f11b9f97aad759ba6df0a33e3218b01d8deaf4ed3a14aa1185d69b9ad7ebcb3");
  CHECK_EQ(pixels_of(set.test), "4cb8e5d9309da489bf6b19cc10cd96c3ae6f8daf225380b605aaee4c0d6aee19");
  CHECK_EQ(labels_of(set.test), "4dad7d09c7c97d33f6cb928d705cf4196221316fd6e31bdd978a08ed9103ee0b");
  CHECK_EQ(set.class_names[0], "apple");
  CHECK_EQ(rows_per_class(set.test.labels, 100), std::vector<std::size_t>(100, 100));
  check_split(set, 50, 0.1, 2'597);
  check_split(set, 50, 0.5, 12'597);
}

TEST_CASE("the MNIST test images are read with their counts") {
  const auto folder = existing(test_data_root() / "mnist-t10k");
  SKIP_WITHOUT(folder, "MNIST");
  const ImageSet set = open_data_set(folder, {.rgb = false});
  CHECK_EQ(set.shape, ImageShape{28, 28, 1});
  CHECK_EQ(pixels_of(set.train),
           "6d87418db22cc8025d05968bec9bd5c3932904b23485740db143a061a2c9d161");
  CHECK_EQ(rows_per_class(set.train.labels, 10),
           std::vector<std::size_t>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009});
}

TEST_CASE("Fashion-MNIST is found by its name") {
  SKIP_WITHOUT(existing("/usr/share/datasets/fashion-mnist"),
               "Fashion-MNIST (Debian: dataset-fashion-mnist)");
  const ImageSet set = open_data_set("fashion-mnist", {.rgb = false});
  CHECK_EQ(pixels_of(set.train),
           "2e487a6c89124f78f2d7521542223cafe96f7123c3ca13d447772ac6ecbb3012");
  CHECK_EQ(pixels_of(set.test), "c867c93ff95360594e8ec3287995350b824dd110b11595c0e13d5423f621867a");
  CHECK_EQ(rows_per_class(set.train.labels, 10), std::vector<std::size_t>(10, 6'000));
  CHECK_EQ(rows_per_class(set.test.labels, 10), std::vector<std::size_t>(10, 1'000));
  CHECK_EQ(set.class_names.front(), "T-shirt/top");
  CHECK_EQ(set.class_names.back(), "Ankle boot");
}

TEST_CASE("Imagenette's folder is decoded as Pillow does, byte for byte") {
  const auto folder = existing(test_data_root() / "imagenette-mini");
  SKIP_WITHOUT(folder, "Imagenette");
  const ImageSet set = open_data_set(folder, {.folder = {.strict = true}});
  CHECK_EQ(set.shape, ImageShape{224, 224, 3});
  CHECK_EQ(set.class_names[0], "n01440764");
  CHECK_EQ(rows_per_class(set.train.labels, 10), std::vector<std::size_t>(10, 60));
  CHECK_EQ(rows_per_class(set.test.labels, 10), std::vector<std::size_t>(10, 20));
  CHECK_EQ(pixels_of(set.train),
           "78d330431a919832019afe19a23f0990c18372952db7d6bdc824c451c2837c3d");
  CHECK_EQ(pixels_of(set.test), "1f8dd6d32bc7f077291c095ca87efd76909e1cd12a176725b1138d2f3ddda76e");
}

TEST_SUITE_END();

}  // namespace opencd::test
