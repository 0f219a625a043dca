// What a checkpoint of OpenNCD keeps besides its parameters: the groups.
#include "error.hpp"
#include "opencd/methods/open_ncd.hpp"

namespace opencd {

Json OpenNcd::state() const {
  return {{"group_of", groups_.grouping.group_of},
          {"groups", groups_.grouping.groups},
          {"classes_found", groups_.count.found},
          {"classes_interval", {groups_.count.low, groups_.count.high}},
          {"labelled_accuracy", groups_.labelled_accuracy}};
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
    const auto prototypes = static_cast<std::size_t>(config_.prototypes);
    if (groups.grouping.prototypes() != prototypes)
      fail<FormatError>("[opencd] expected the groups of {} prototypes, the state has {}",
                        prototypes, groups.grouping.prototypes());
    for (const std::int32_t group : groups.grouping.group_of)
      if (group < 0 || static_cast<std::size_t>(group) >= groups.grouping.groups)
        fail<FormatError>("[opencd] expected groups 0 to {}, the state has {}",
                          groups.grouping.groups - 1, group);
    set_groups(std::move(groups));
  } catch (const Json::exception& error) {
    fail<FormatError>("[opencd] the state of the groups does not read: {}", error.what());
  }
}

}  // namespace opencd
