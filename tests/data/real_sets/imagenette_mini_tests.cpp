// Ten classes of ImageNet against checksums that NumPy and Pillow computed from the official files.
#include "data/support/real_data.hpp"
#include "data/support/real_rows.hpp"

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/real_sets/imagenette_mini");

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
