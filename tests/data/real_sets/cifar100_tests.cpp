// CIFAR-100 against checksums that NumPy and Pillow computed from the official files.
#include "data/support/real_data.hpp"
#include "data/support/real_rows.hpp"

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/real_sets/cifar100");

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
  check_cifar_split(set, 50, 0.1, 2'597);
  check_cifar_split(set, 50, 0.5, 12'597);
}

TEST_SUITE_END();

}  // namespace opencd::test
