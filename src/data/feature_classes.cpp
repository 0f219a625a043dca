#include "data/feature_classes.hpp"

#include "data/image_set.hpp"

#include <map>
#include <set>

namespace opencd::data {

namespace {

std::set<std::int32_t> classes_in(std::span<const std::int32_t> numbers) {
  std::set<std::int32_t> classes(numbers.begin(), numbers.end());
  classes.erase(kNoLabel);
  return classes;
}

}  // namespace

std::vector<std::int32_t> FeatureClasses::hidden_truth() const {
  std::vector<std::int32_t> hidden = truth;
  for (std::size_t row = 0; row < hidden.size(); ++row)
    if (labels[row] != kNoLabel) hidden[row] = kNoLabel;
  return hidden;
}

FeatureClasses feature_classes(std::span<const std::int32_t> labels,
                               std::span<const std::int32_t> truth) {
  FeatureClasses classes;
  const std::set<std::int32_t> known = classes_in(labels);
  classes.known = known.size();
  classes.class_order.assign(known.begin(), known.end());
  for (const std::int32_t number : classes_in(truth))
    if (!known.contains(number)) classes.class_order.push_back(number);

  std::map<std::int32_t, std::int32_t> places{{kNoLabel, kNoLabel}};
  for (const std::int32_t number : classes.class_order)
    places.emplace(number, static_cast<std::int32_t>(places.size()) - 1);
  for (const std::int32_t number : labels) classes.labels.push_back(places.at(number));
  for (const std::int32_t number : truth) classes.truth.push_back(places.at(number));
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] == kNoLabel) continue;
    ++classes.labelled;
    const bool other = !truth.empty() && truth[row] != kNoLabel && truth[row] != labels[row];
    classes.contradicted += other ? 1 : 0;
  }
  return classes;
}

}  // namespace opencd::data
