#include "opencd/published.hpp"

#include <doctest/doctest.h>

namespace opencd::test {

TEST_SUITE_BEGIN("opencd/published");

TEST_CASE(
    "published values are found where data, known classes and ratio agree, and nowhere else") {
  const PublishedSetting ten{"cifar-10", 10, 5, 0.1};
  CHECK_EQ(published_accuracy(ten, "opencd")->all, 85.3);
  CHECK_EQ(published_accuracy(ten, "orca")->novel, 85.5);
  CHECK_EQ(published_accuracy({"cifar-100", 100, 50, 0.5}, "gcd")->known, 68.5);
  CHECK_EQ(published_accuracy({"imagenet-100", 100, 50, 0.1}, "simclr-kmeans")->all, 41.5);
  CHECK_FALSE(published_accuracy(ten, "gcd-kmeans").has_value());
  for (const PublishedSetting& other :
       {PublishedSetting{"cifar-10", 10, 4, 0.1}, PublishedSetting{"cifar-10", 10, 5, 0.2},
        PublishedSetting{"cifar-10", 8, 4, 0.1}, PublishedSetting{"fashion-mnist", 10, 5, 0.1}})
    CHECK_FALSE(published_accuracy(other, "opencd").has_value());
}

TEST_CASE(
    "accuracies are of methods that were told the number of classes, and none is of opencd+") {
  const PublishedSetting told{"cifar-10", 10, 5, 0.1};
  PublishedSetting untold = told;
  untold.told = false;
  CHECK_FALSE(published_accuracy(untold, "orca").has_value());
  CHECK_FALSE(published_ablation({"cifar-100", 100, 50, 0.1, false}, "full").has_value());
  CHECK_EQ(published_count(untold, "opencd")->nmi, "79.6 ± 0.6");  // it never was
  CHECK_FALSE(published_accuracy(told, "opencd+").has_value());
  CHECK_FALSE(published_count(told, "opencd+").has_value());
}

TEST_CASE("ablation is of CIFAR-100, class numbers are of CIFAR-10") {
  const PublishedSetting hundred{"cifar-100", 100, 50, 0.1};
  CHECK_EQ(published_ablation(hundred, "no-ce")->known, 27.9);
  CHECK_EQ(published_ablation(hundred, "full")->all, published_accuracy(hundred, "opencd")->all);
  CHECK_FALSE(published_ablation({"cifar-10", 10, 5, 0.1}, "full").has_value());
  CHECK_EQ(published_count({"cifar-10", 10, 5, 0.1}, "dipdeck")->classes, "8.16 ± 0.8");
  CHECK_EQ(published_count({"cifar-10", 10, 5, 0.1}, "opencd")->nmi, "79.6 ± 0.6");
  CHECK_EQ(published_count({"cifar-10", 10, 5, 0.0}, "opencd")->nmi, "71.2 ± 2.1");
  CHECK_FALSE(published_count({"cifar-10", 10, 5, 0.5}, "opencd").has_value());
  CHECK_FALSE(published_count(hundred, "xmeans").has_value());
}

TEST_SUITE_END();

}  // namespace opencd::test
