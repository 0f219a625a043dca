// CIFAR-10 against checksums that NumPy and Pillow computed from the official files.
#include "data/support/real_data.hpp"
#include "data/support/real_rows.hpp"

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/real_sets/cifar10");

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
  check_cifar_split(set, 5, 0.1, 2'597);
  check_cifar_split(set, 5, 0.5, 12'597);
  const std::size_t sweep[] = {492, 1021, 1558, 2104, 2597, 3113, 3611, 4093, 4630};
  for (std::size_t known = 1; known <= 9; ++known)
    check_cifar_split(set, known, 0.1, sweep[known - 1]);
}

TEST_SUITE_END();

}  // namespace opencd::test
