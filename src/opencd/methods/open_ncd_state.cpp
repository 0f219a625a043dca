// What a checkpoint of OpenNCD keeps besides its parameters: the groups.
#include "error.hpp"
#include "opencd/methods/open_ncd.hpp"

namespace opencd {

namespace {

Json to_json(const GroupCount& count) { return {count.found, count.low, count.high}; }

GroupCount read_count(const Json& numbers) {
  return {numbers.at(0).get<std::size_t>(), numbers.at(1).get<std::size_t>(),
          numbers.at(2).get<std::size_t>()};
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
  try {
    PrototypeGroupState groups;
    groups.grouping.group_of = state.at("group_of").get<std::vector<std::int32_t>>();
    groups.grouping.groups = state.at("groups").get<std::size_t>();
    groups.count = {state.at("classes_found").get<std::size_t>(),
                    state.at("classes_interval").at(0).get<std::size_t>(),
                    state.at("classes_interval").at(1).get<std::size_t>()};
    groups.labelled_accuracy = state.at("labelled_accuracy").get<double>();
    std::optional<GroupCount> counted;
    if (state.contains("counted") && !state.at("counted").is_null())
      counted = read_count(state.at("counted"));
    const auto prototypes = static_cast<std::size_t>(config_.prototypes);
    if (counted && (counted->found == 0 || counted->found > prototypes))
      fail<FormatError>("[opencd] expected a count of 1 to {} classes, the state has {}",
                        prototypes, counted->found);
    if (groups.grouping.prototypes() != prototypes)
      fail<FormatError>("[opencd] expected the groups of {} prototypes, the state has {}",
                        prototypes, groups.grouping.prototypes());
    for (const std::int32_t group : groups.grouping.group_of)
      if (group < 0 || static_cast<std::size_t>(group) >= groups.grouping.groups)
        fail<FormatError>("[opencd] expected groups 0 to {}, the state has {}",
                          groups.grouping.groups - 1, group);
    std::vector<double> factors(groups.grouping.groups, 1.0);
    if (state.contains("factors")) factors = state.at("factors").get<std::vector<double>>();
    if (factors.size() != groups.grouping.groups)
      fail<FormatError>("[opencd] expected factors of {} groups, the state has {}",
                        groups.grouping.groups, factors.size());
    set_groups(std::move(groups));
    factors_ = std::move(factors);
    counted_ = counted;
  } catch (const Json::exception& error) {
    fail<FormatError>("[opencd] the state of the groups does not read: {}", error.what());
  }
}

}  // namespace opencd
