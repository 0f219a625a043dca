#include "cli/report/group_rows.hpp"

#include "opencd/calibration.hpp"

#include <algorithm>

namespace opencd::cli::report {

namespace {

/// The `most` places with the least value; the first of equal ones.
template <class Value>
std::vector<std::size_t> least(std::vector<std::size_t> places, std::size_t most, Value&& value) {
  const std::size_t count = std::min(most, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                    places.end(), [&](std::size_t a, std::size_t b) {
                      return std::pair(value(a), a) < std::pair(value(b), b);
                    });
  places.resize(count);
  return places;
}

}  // namespace

std::map<std::int32_t, GroupRows> group_rows(const RunRecord& run,
                                             const Typicalities& typicalities,
                                             std::size_t most) {
  std::map<std::int32_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < run.rows.size(); ++i) members[run.rows[i].group].push_back(i);
  const auto typicality = [&](std::size_t place) {
    const auto found = typicalities.find(run.rows[place].row);
    return found == typicalities.end() ? 1.0 : found->second;
  };
  std::map<std::int32_t, GroupRows> result;
  for (const auto& [group, places] : members) {
    std::vector<std::size_t> strange;
    std::copy_if(places.begin(), places.end(), std::back_inserter(strange),
                 [&](std::size_t place) { return typicality(place) < kNoneBelow; });
    result[group] = {
        .typical = least(places, most, [&](std::size_t i) { return -run.rows[i].likeness; }),
        .uncertain = least(places, most, [&](std::size_t i) { return run.rows[i].margin; }),
        .none = least(std::move(strange), most, typicality)};
  }
  return result;
}

}  // namespace opencd::cli::report
