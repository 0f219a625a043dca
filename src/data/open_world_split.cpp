#include "data/open_world_split.hpp"

#include "data/content_hash.hpp"
#include "error.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace opencd::data {

namespace {

/// numpy.random.seed(0); numpy.random.rand(): doubles of 53 bits from two words each.
class LegacyNumpyRandom {
 public:
  double next() {
    const std::uint64_t high = engine_() >> 5;
    const std::uint64_t low = engine_() >> 6;
    return static_cast<double>(high << 26 | low) * 0x1p-53;
  }

 private:
  std::mt19937 engine_{0};  // NOLINT(bugprone-random-generator-seed): the split of ORCA and OpenNCD
};

std::vector<std::int32_t> leading_classes(const ImageSet& set, const SplitOptions& options) {
  std::vector<std::int32_t> leading;
  for (const std::string& name : options.known_classes) {
    const auto found = std::find(set.class_names.begin(), set.class_names.end(), name);
    if (found == set.class_names.end())
      fail<UsageError>("[split] {} has no class called {}", set.name, name);
    const auto label = static_cast<std::int32_t>(found - set.class_names.begin());
    if (std::find(leading.begin(), leading.end(), label) != leading.end())
      fail<UsageError>("[split] class {} is named twice", name);
    leading.push_back(label);
  }
  return leading;
}

/// `leading` first, then all other classes by number.
std::vector<std::int32_t> complete_order(std::vector<std::int32_t> leading, std::size_t classes) {
  std::vector<bool> taken(classes, false);
  for (const std::int32_t label : leading) taken[static_cast<std::size_t>(label)] = true;
  for (std::size_t label = 0; label < classes; ++label)
    if (!taken[label]) leading.push_back(static_cast<std::int32_t>(label));
  return leading;
}

void take_given_rows(const ImageSet& set, OpenWorldSplit& split) {
  split.labeled = *set.given_rows;
  std::vector<std::int32_t> known;
  known.reserve(split.labeled.size());
  for (const std::uint32_t row : split.labeled) known.push_back(set.train.labels[row]);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  split.known = known.size();
  split.class_order = complete_order(std::move(known), set.class_names.size());
}

void draw_rows(const ImageSet& set, const SplitOptions& options, OpenWorldSplit& split) {
  const std::size_t classes = set.class_names.size();
  if (classes < 1)
    fail<UsageError>("[split] {} has no labels; give some in a labels file", set.name);
  split.class_order = complete_order(leading_classes(set, options), classes);
  split.known = !options.known_classes.empty() ? options.known_classes.size()
                : options.known > 0            ? options.known
                                               : std::max<std::size_t>(1, classes / 2);
  if (split.known > classes)
    fail<UsageError>("[split] {} known classes, but {} has {}", split.known, set.name, classes);
  if (!(options.labeled_ratio >= 0.0 && options.labeled_ratio <= 1.0))
    fail<UsageError>("[split] expected a labelled ratio from 0 to 1, got {}",
                     options.labeled_ratio);
  const std::vector<std::int32_t> places = class_places(split, set.train.labels);
  LegacyNumpyRandom random;
  for (std::uint32_t row = 0; row < places.size(); ++row) {
    const bool known = places[row] >= 0 && std::cmp_less(places[row], split.known);
    if (known && random.next() < options.labeled_ratio) split.labeled.push_back(row);
  }
}

}  // namespace

std::string OpenWorldSplit::hash() const {
  ContentHash hash;
  hash.add_text("opencd_sycl split 1");
  hash.add_text(data_hash);
  hash.add_number(rows);
  hash.add_number(known);
  hash.add_number(class_order.size());
  for (const std::int32_t label : class_order) hash.add_number(static_cast<std::uint64_t>(label));
  hash.add_number(labeled.size());
  for (const std::uint32_t row : labeled) hash.add_number(row);
  return hash.text();
}

OpenWorldSplit open_world_split(const ImageSet& set, const SplitOptions& options) {
  OpenWorldSplit split;
  split.data_hash = set.hash;
  split.rows = set.train.size();
  if (set.given_rows) {
    take_given_rows(set, split);
  } else {
    draw_rows(set, options, split);
  }
  split.unlabeled = other_rows(split.labeled, split.rows);
  return split;
}

std::vector<std::int32_t> class_places(const OpenWorldSplit& split,
                                       std::span<const std::int32_t> labels) {
  std::vector<std::int32_t> place_of(split.class_order.size());
  for (std::size_t place = 0; place < split.class_order.size(); ++place)
    place_of[static_cast<std::size_t>(split.class_order[place])] = static_cast<std::int32_t>(place);
  std::vector<std::int32_t> places(labels.size(), kNoLabel);
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (labels[row] != kNoLabel) places[row] = place_of.at(static_cast<std::size_t>(labels[row]));
  return places;
}

std::vector<std::uint32_t> other_rows(std::span<const std::uint32_t> labeled, std::size_t rows) {
  std::vector<std::uint32_t> others;
  others.reserve(rows - labeled.size());
  std::size_t next = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (next < labeled.size() && labeled[next] == row) {
      ++next;
    } else {
      others.push_back(row);
    }
  }
  return others;
}

}  // namespace opencd::data
