// Fashion-MNIST against checksums that NumPy and Pillow computed from the official files.
#include "data/support/real_data.hpp"
#include "data/support/real_rows.hpp"

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/real_sets/fashion_mnist");

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

TEST_SUITE_END();

}  // namespace opencd::test
