// What a checkpoint of OpenNCD keeps besides its parameters: the groups.
#include "error.hpp"
#include "opencd/methods/open_ncd.hpp"
#include "opencd/methods/read_state.hpp"

namespace opencd {

namespace {

Json to_json(const GroupCount& count) { return {count.found, count.low, count.high}; }

constexpr std::size_t kMostClasses = INT32_MAX;

GroupCount read_group_count(const Json& numbers) {
  return {read_count(numbers.at(0), 0, kMostClasses), read_count(numbers.at(1), 0, kMostClasses),
          read_count(numbers.at(2), 0, kMostClasses)};
}

/// What each group's probability is multiplied by.
std::vector<double> read_factors(const Json& json) {
  std::vector<double> factors;
  for (const Json& factor : json.get_ref<const Json::array_t&>()) {
    factors.push_back(read_number(factor));
    if (!(factors.back() > 0.0))
      fail<FormatError>("[opencd] expected factors above 0, the state has {}", quoted(factor));
  }
  return factors;
}

}  // namespace

Json OpenNcd::state() const {
  return {{"group_of", groups_.grouping.group_of},
          {"groups", groups_.grouping.groups},
          {"classes_found", groups_.count.found},
          {"classes_interval", {groups_.count.low, groups_.count.high}},
          {"labelled_accuracy", groups_.labelled_accuracy},
          {"factors", factors_},
          {"counted", counted_ ? to_json(*counted_) : Json()}};
}

void OpenNcd::restore(const Json& state) {
  const auto prototypes = static_cast<std::size_t>(config_.prototypes);
  read_state("opencd", [&] {
    PrototypeGroupState groups;
    groups.grouping.groups = read_count(state.at("groups"), 1, prototypes);
    groups.grouping.group_of = read_groups(state.at("group_of"), groups.grouping.groups);
    const Json& interval = state.at("classes_interval");
    groups.count = read_group_count({state.at("classes_found"), interval.at(0), interval.at(1)});
    groups.labelled_accuracy = read_number(state.at("labelled_accuracy"));
    std::optional<GroupCount> counted;
    if (state.contains("counted") && !state.at("counted").is_null())
      counted = read_group_count(state.at("counted"));
    if (counted && (counted->found == 0 || counted->found > prototypes))
      fail<FormatError>("[opencd] expected a count of 1 to {} classes, the state has {}",
                        prototypes, counted->found);
    if (groups.grouping.prototypes() != prototypes)
      fail<FormatError>("[opencd] expected the groups of {} prototypes, the state has {}",
                        prototypes, groups.grouping.prototypes());
    std::vector<double> factors(groups.grouping.groups, 1.0);
    if (state.contains("factors")) factors = read_factors(state.at("factors"));
    if (factors.size() != groups.grouping.groups)
      fail<FormatError>("[opencd] expected factors of {} groups, the state has {}",
                        groups.grouping.groups, factors.size());
    set_groups(std::move(groups));
    factors_ = std::move(factors);
    counted_ = counted;
  });
}

}  // namespace opencd
