#include "opencd/counting/dip_clusters.hpp"

#include "opencd/counting/dip_test.hpp"
#include "opencd/counting/distances.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace opencd {

namespace {

constexpr std::size_t kUnequal = 2;       // sizes that differ by more than this factor are evened
constexpr std::size_t kLeastTested = 50;  // rows of a test on evened sizes

}  // namespace

DipClusters::DipClusters(std::vector<float> embedded,
                         std::size_t columns,
                         std::vector<std::int32_t> cluster_of,
                         std::size_t clusters)
    : embedded_(std::move(embedded)), columns_(columns), cluster_of_(std::move(cluster_of)) {
  drop_empty(clusters);
  place_centres();
  test_all();
}

void DipClusters::follow(std::vector<float> embedded) {
  embedded_ = std::move(embedded);
  std::vector<float> centres;
  for (const std::size_t centre : centre_rows_)
    centres.insert(centres.end(), row(centre).begin(), row(centre).end());
  cluster_of_ = nearest_centres(embedded_, centres, columns_);
  drop_empty(count());
  place_centres();
  test_all();
}

void DipClusters::drop_empty(std::size_t clusters) {
  std::vector<std::int32_t> number(clusters, -1);
  for (const std::int32_t cluster : cluster_of_) number[static_cast<std::size_t>(cluster)] = 0;
  std::int32_t next = 0;
  for (std::int32_t& place : number)
    if (place == 0) place = next++;
  members_.assign(static_cast<std::size_t>(next), {});
  for (std::size_t i = 0; i < cluster_of_.size(); ++i) {
    cluster_of_[i] = number[static_cast<std::size_t>(cluster_of_[i])];
    members_[static_cast<std::size_t>(cluster_of_[i])].push_back(i);
  }
}

void DipClusters::place_centres() {
  centre_rows_.clear();
  for (const std::vector<std::size_t>& members : members_) {
    std::vector<double> mean(columns_, 0.0);
    for (const std::size_t i : members)
      for (std::size_t c = 0; c < columns_; ++c)
        mean[c] += row(i)[c] / static_cast<double>(members.size());
    centre_rows_.push_back(nearest_row(mean));
  }
}

std::size_t DipClusters::nearest_row(std::span<const double> point) const {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cluster_of_.size(); ++i) {
    const double distance = squared_distance(row(i), point);
    if (distance >= least) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

void DipClusters::test_all() {
  p_values_.assign(count() * count(), 0.0);
  for (std::size_t cluster = 0; cluster < count(); ++cluster) test_pairs_of(cluster);
}

/// Pairs with clusters before it: all pairs, if every cluster's turn comes.
void DipClusters::test_pairs_of(std::size_t cluster) {
  for (std::size_t other = 0; other < cluster; ++other)
    p_values_[cluster * count() + other] = p_values_[other * count() + cluster] =
        pair_p_value(other, cluster);
}

double DipClusters::pair_p_value(std::size_t a, std::size_t b) const {
  if (members_[a].size() > members_[b].size()) std::swap(a, b);
  const std::vector<std::size_t>& few = members_[a];
  const std::vector<std::size_t>& many = members_[b];
  const double all = p_value_along(a, b, few, many);
  if (many.size() <= kUnequal * few.size()) return all;
  // A small cluster beside a large one hardly shows in the dip; only what is next to it is asked
  // then.
  std::size_t kept = kUnequal * few.size();
  if (kept + few.size() < kLeastTested) kept = kLeastTested - few.size();
  return std::min(all, p_value_along(a, b, few, nearest_members(b, centre_rows_[a], kept)));
}

std::vector<std::size_t> DipClusters::nearest_members(std::size_t cluster,
                                                      std::size_t centre,
                                                      std::size_t count) const {
  std::vector<std::pair<double, std::size_t>> by_distance;
  for (const std::size_t i : members_[cluster])
    by_distance.emplace_back(squared_distance(row(i), row(centre)), i);
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<std::size_t> nearest;
  for (const auto& [distance, i] :
       std::span(by_distance).first(std::min(count, by_distance.size())))
    nearest.push_back(i);
  return nearest;
}

double DipClusters::p_value_along(std::size_t a,
                                  std::size_t b,
                                  std::span<const std::size_t> rows_a,
                                  std::span<const std::size_t> rows_b) const {
  const auto from = row(centre_rows_[a]);
  const auto to = row(centre_rows_[b]);
  std::vector<double> places;
  for (const auto rows : {rows_a, rows_b})
    for (const std::size_t i : rows) {
      double place = 0.0;
      for (std::size_t c = 0; c < columns_; ++c)
        place += static_cast<double>(row(i)[c]) * (static_cast<double>(to[c]) - from[c]);
      places.push_back(place);
    }
  std::sort(places.begin(), places.end());
  return dip_p_value(dip_statistic(places), places.size());
}

std::size_t DipClusters::merge_alike(double threshold) {
  std::size_t merges = 0;
  while (count() > 1) {
    const auto most = std::max_element(p_values_.begin(), p_values_.end());
    if (*most < threshold) break;
    const auto place = static_cast<std::size_t>(most - p_values_.begin());
    merge(place / count(), place % count());  // the first of equal ones, so a < b
    ++merges;
  }
  return merges;
}

void DipClusters::merge(std::size_t a, std::size_t b) {
  const auto size_a = static_cast<double>(members_[a].size());
  const auto size_b = static_cast<double>(members_[b].size());
  std::vector<double> centre(columns_);
  for (std::size_t c = 0; c < columns_; ++c)
    centre[c] =
        (size_a * row(centre_rows_[a])[c] + size_b * row(centre_rows_[b])[c]) / (size_a + size_b);
  // The merged cluster comes last; the p-values of the others stay as they are.
  const std::size_t before = count();
  std::vector<double> kept;
  for (std::size_t i = 0; i < before; ++i)
    for (std::size_t j = 0; j < before; ++j)
      if (i != a && i != b && j != a && j != b) kept.push_back(p_values_[i * before + j]);
  for (std::int32_t& cluster : cluster_of_) {
    const auto k = static_cast<std::size_t>(cluster);
    const std::size_t number =
        k == a || k == b ? before - 2 : k - (k > a ? 1 : 0) - (k > b ? 1 : 0);
    cluster = static_cast<std::int32_t>(number);
  }
  centre_rows_.erase(centre_rows_.begin() + static_cast<std::ptrdiff_t>(b));
  centre_rows_.erase(centre_rows_.begin() + static_cast<std::ptrdiff_t>(a));
  centre_rows_.push_back(nearest_row(centre));
  drop_empty(before - 1);
  const std::size_t now = count();
  p_values_.assign(now * now, 0.0);
  for (std::size_t i = 0; i + 1 < now; ++i)
    std::copy_n(kept.begin() + static_cast<std::ptrdiff_t>(i * (now - 1)), now - 1,
                p_values_.begin() + static_cast<std::ptrdiff_t>(i * now));
  test_pairs_of(now - 1);
}

std::vector<double> DipClusters::belonging() const {
  std::vector<double> shares = p_values_;
  for (std::size_t k = 0; k < count(); ++k) {
    shares[k * count() + k] += 1.0;
    const auto first = shares.begin() + static_cast<std::ptrdiff_t>(k * count());
    const auto last = first + static_cast<std::ptrdiff_t>(count());
    const double sum = std::accumulate(first, last, 0.0);
    std::transform(first, last, first, [&](double share) { return share / sum; });
  }
  return shares;
}

}  // namespace opencd
