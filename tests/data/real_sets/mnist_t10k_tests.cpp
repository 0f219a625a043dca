// The MNIST test images against checksums that NumPy and Pillow computed from the official files.
#include "data/support/real_data.hpp"
#include "data/support/real_rows.hpp"

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/real_sets/mnist_t10k");

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

TEST_SUITE_END();

}  // namespace opencd::test
