// What has been published for the settings of the paper, to be shown beside what is measured here.
// The numbers are the publisher's, quoted: Jiaming Liu, Yangqiming Wang, Tongze Zhang, Yulu Fan, Qinli
// Yang, Junming Shao, "Open-world Semi-supervised Novel Class Discovery", IJCAI 2023: table 1 and its
// appendix (accuracy in percent, the number of classes told), the table of class numbers and the
// ablation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace opencd {

inline constexpr std::string_view kPublishedSource = "Liu et al., IJCAI 2023";

/// What must agree for two results to be comparable.
struct PublishedSetting {
  std::string data;  // name of the data set: cifar-10
  std::size_t classes = 0;
  std::size_t known = 0;
  double labeled_ratio = 0.0;
  bool told = true;  // methods know the number of classes, as in the paper's tables of accuracy
};

struct PublishedAccuracy {
  double known = 0.0;
  double novel = 0.0;
  double all = 0.0;
};

/// With the mean and what follows its +-, as printed.
struct PublishedCount {
  std::string classes;
  std::string all;
  std::string nmi;
};

/// Of a method by its name here.
std::optional<PublishedAccuracy> published_accuracy(const PublishedSetting& setting,
                                                    std::string_view method);
/// Of OpenNCD without a part, by the names of compare's ablation: no-reg, no-ce, no-group,
/// no-proto, full.
std::optional<PublishedAccuracy> published_ablation(const PublishedSetting& setting,
                                                    std::string_view variant);
/// Of a counter: xmeans, gmeans, dipdeck, opencd.
std::optional<PublishedCount> published_count(const PublishedSetting& setting,
                                              std::string_view counter);

}  // namespace opencd
