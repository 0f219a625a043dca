#include "data/open_data_set.hpp"

#include "data/content_hash.hpp"
#include "data/support/cifar_files.hpp"
#include "data/support/npy_files.hpp"
#include "data/synthetic.hpp"

#include <sys/stat.h>

#include <cmath>

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/open_data_set");

TEST_CASE("the kind is found out from what is there") {
  const TempFolder folder;
  write_cifar10_folder(folder, 2);
  CHECK_EQ(open_data_set(folder.path()).kind, "cifar");
  const auto array = folder.write("x.npy", npy_file("|u1", "(2, 2, 2)", ByteVector(8)));
  CHECK_EQ(open_data_set(array).kind, "array");
  CHECK_EQ(open_data_set("synthetic:per-class=5").kind, "synthetic");
  CHECK_REFUSED(open_data_set(folder.path(), {.format = DataFormat::idx}), "train-images");
  CHECK_THROWS_AS(parse_data_format("tar"), UsageError);
  CHECK_EQ(parse_data_format("idx"), DataFormat::idx);
}

TEST_CASE("what cannot be opened is refused by name") {
  const TempFolder folder;
  CHECK_REFUSED(open_data_set("no/such/place"), "no/such/place: no such file or folder");
  CHECK_REFUSED(open_data_set(folder.write_text("a.tar", "x")), "expected a folder or a .npy");
  folder.write_text("pickled/data_batch_1", "x");
  CHECK_REFUSED(open_data_set(folder.path() / "pickled"), "binary version");
  const auto pipe = folder.path() / "pipe.npy";
  REQUIRE_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  CHECK_REFUSED(open_data_set(pipe), "not a regular file");
  CHECK_REFUSED(open_data_set(folder.path() / "bell\a\xff.npy"), "bell\\x07\\xff.npy");
}

TEST_CASE("a limit keeps the first rows and changes the hash") {
  const ImageSet all = open_data_set("synthetic:per-class=5");
  const ImageSet some = open_data_set("synthetic:per-class=5", {.limit = 13});
  CHECK_EQ(some.train.size(), 13);
  CHECK_EQ(some.train.pixels.size(), 13 * some.shape.size());
  CHECK_NE(some.hash, all.hash);
  CHECK_EQ(open_data_set("synthetic:per-class=5", {.limit = 99}).hash, all.hash);
}

TEST_CASE("the hash tells sets apart by any byte, label or name") {
  const ImageSet base = make_synthetic({.classes = 3, .per_class = 5, .size = 4});
  CHECK_EQ(base.hash, make_synthetic({.classes = 3, .per_class = 5, .size = 4}).hash);
  ImageSet changed = base;
  changed.train.labels[0] = 1;
  CHECK_NE(finish_image_set(changed).hash, base.hash);
  changed = base;
  changed.class_names[0] = "zero";
  CHECK_NE(finish_image_set(changed).hash, base.hash);
  changed = base;
  const auto view = base.train.pixels.view();
  ByteVector pixels(view.begin(), view.end());
  pixels[5] ^= 1;
  changed.train.pixels = Bytes(pixels);
  CHECK_NE(finish_image_set(changed).hash, base.hash);
  changed.train.labels[0] = 3;
  CHECK_REFUSED(finish_image_set(changed), "training row 0: expected a label below 3, got 3");
}

TEST_CASE("synthetic sets follow their settings") {
  const ImageSet set = open_data_set("synthetic:classes=4,per-class=10,size=8,seed=3");
  CHECK_EQ(set.shape, ImageShape{8, 8, 3});
  CHECK_EQ(set.train.size(), 40);
  CHECK_EQ(set.test.size(), 8);
  CHECK_EQ(rows_per_class(set.train.labels, 4), std::vector<std::size_t>(4, 10));
  CHECK_NE(set.hash, open_data_set("synthetic:classes=4,per-class=10,size=8,seed=4").hash);
  for (const char* wrong :
       {"synthetic:", "synthetic:classes=0", "synthetic:colour=1", "synthetic:size=x",
        "synthetic:size=", "synthetic:classes=10000,per-class=4000000000", "synthetic:size=-4"}) {
    INFO(wrong);
    const bool plain = std::string(wrong) == "synthetic:";  // no settings: all defaults
    CHECK_EQ(complaint<UsageError>([&] { parse_synthetic(wrong); }) == "", plain);
  }
}

TEST_CASE("synthetic classes can be told apart by a nearest-mean rule on simple features") {
  // Means of absolute differences between neighbours at several distances, of one channel and
  // relative to each other: no colour, no phase, no contrast. What this rule can learn, a network
  // can.
  const ImageSet set = make_synthetic({});
  const auto features = [&](std::span<const std::uint8_t> row) {
    std::vector<double> values;
    double total = 0.0;
    for (const auto& [dx, dy] : {std::pair{1, 0}, {0, 1}, {2, 0}, {0, 2}, {1, 1}, {3, 0}, {0, 3}}) {
      double sum = 0.0;
      for (int y = 0; y + dy < 16; ++y)
        for (int x = 0; x + dx < 16; ++x)
          sum += std::abs(row[static_cast<std::size_t>((y * 16 + x) * 3 + 1)] -
                          row[static_cast<std::size_t>(((y + dy) * 16 + x + dx) * 3 + 1)]);
      values.push_back(sum);
      total += sum;
    }
    for (double& value : values) value /= total;
    return values;
  };
  std::vector<std::vector<double>> means(10, std::vector<double>(7, 0.0));
  for (std::size_t row = 0; row < set.train.size(); ++row) {
    const auto values = features(set.train_row(row));
    for (std::size_t i = 0; i < 7; ++i)
      means[static_cast<std::size_t>(set.train.labels[row])][i] += values[i] / 500.0;
  }
  std::size_t right = 0;
  for (std::size_t row = 0; row < set.test.size(); ++row) {
    const auto values = features(set.test.pixels.view().subspan(row * 768, 768));
    std::size_t best = 0;
    double nearest = 1e300;
    for (std::size_t c = 0; c < 10; ++c) {
      double distance = 0.0;
      for (std::size_t i = 0; i < 7; ++i) distance += std::pow(values[i] - means[c][i], 2);
      if (distance < nearest) nearest = distance, best = c;
    }
    right += std::cmp_equal(best, set.test.labels[row]);
  }
  MESSAGE("nearest mean: ", right, " of ", set.test.size());
  CHECK_GT(right, 600);
}

TEST_SUITE_END();

}  // namespace opencd::test
