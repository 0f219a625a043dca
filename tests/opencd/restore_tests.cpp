// What every method makes of a state.json that was damaged or written by somebody else: it refuses it as a file, or can work
// with it.
#include "error.hpp"
#include "opencd/methods/registry.hpp"
#include "support/matrices.hpp"
#include "support/random.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace opencd::test {

namespace {

constexpr std::size_t kStateRows = 20;
constexpr std::size_t kStateFeatures = 12;
constexpr int kDamagedTwice = 300;  // states with two mistakes, for every method

struct RestoredMethod {
  explicit RestoredMethod(const std::string& name)
      : model(test_engine()),
        method(make_method(name,
                           {.model = model,
                            .features = kStateFeatures,
                            .batch = kStateRows,
                            .known = 3,
                            .classes = 6,
                            .seed = 1,
                            .epochs = 12,
                            .rows = kStateRows},
                           {{"prototypes", 24}})) {
    model.allocate();
    method->allocate();
  }

  nn::Model model;
  std::unique_ptr<Method> method;
};

/// What may stand where a number, a list or nothing was.
const std::vector<Json>& strange_values() {
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           -1,
                                           0,
                                           1,
                                           7,
                                           std::int64_t{1} << 31u,
                                           INT64_MIN,
                                           1.5,
                                           -0.5,
                                           1e300,
                                           -1e300,
                                           UINT64_MAX,
                                           "text",
                                           "",
                                           Json::array(),
                                           Json::object(),
                                           {0},
                                           {-1},
                                           {0, 1e300},
                                           {{"a", 1}},
                                           Json::array({Json::array()})};
  return values;
}

/// The places of everything inside `state`, itself included.
std::vector<Json::json_pointer> places_in(const Json& state) {
  std::vector<Json::json_pointer> places = {Json::json_pointer()};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Json::json_pointer place = places[i];
    const Json& value = state.at(place);
    if (value.is_object())
      for (const auto& [key, unused] : value.items()) places.push_back(place / key);
    else if (value.is_array() && !value.empty())
      for (const std::size_t at : {std::size_t{0}, value.size() - 1}) places.push_back(place / at);
  }
  return places;
}

/// `state` with another value, or less, or more, at one of its places.
Json damaged(Json state, const Json::json_pointer& place, std::size_t how) {
  if (how < strange_values().size()) {
    state.at(place) = strange_values()[how];
    return state;
  }
  Json& value = state.at(place);
  if (!value.empty() && value.is_structured())
    value.erase(value.begin());
  else
    value = Json::array({value, value});
  return state;
}

/// Restores `state`; true if it was taken. Anything thrown but FormatError fails the test.
bool takes(Method& method, const Json& state) {
  const Json before = method.state();
  try {
    method.restore(state);
    return true;
  } catch (const FormatError& error) {
    CHECK_MESSAGE(std::string(error.what()).starts_with("["), error.what());
    CHECK_MESSAGE(method.state() == before, "a refused state left something");
  }
  return false;
}

void check_works(Method& method, const kernels::Buffer<float>& features) {
  const Json state = method.state();
  const std::vector<Prediction> found = method.predict(features.rows(kStateRows, kStateFeatures));
  REQUIRE_EQ(found.size(), kStateRows);
  const std::size_t groups = state.value("groups", method.groups().found);
  for (const Prediction& prediction : found) {
    CHECK_GE(prediction.group, 0);
    CHECK_LT(prediction.group, std::max<std::size_t>(1, groups));
  }
  method.restore(state);
  CHECK_EQ(method.state().dump(), state.dump());
}

void try_state(RestoredMethod& restored,
               const Json& state,
               const kernels::Buffer<float>& features) {
  const std::string text = state.dump();
  CAPTURE(text);
  if (takes(*restored.method, state)) check_works(*restored.method, features);
}

}  // namespace

TEST_SUITE("opencd/restore") {
  TEST_CASE("a damaged state is refused as a file and leaves nothing, or works") {
    const std::vector<float> values = Random(3).normals(kStateRows * kStateFeatures);
    const auto features = kernels::to_device(test_device(), values);
    for (const std::string& name : method_names()) {
      CAPTURE(name);
      RestoredMethod restored(name);
      const Json sound = restored.method->state();
      try_state(restored, sound, features);
      const auto places = places_in(sound);
      const std::size_t ways = strange_values().size() + 1;
      for (const auto& place : places)
        for (std::size_t how = 0; how < ways; ++how)
          try_state(restored, damaged(sound, place, how), features);
      Random random(5);
      const auto any_of = [&](std::size_t count) {
        return random.below(static_cast<std::uint32_t>(count));
      };
      for (int i = 0; i < kDamagedTwice; ++i) {
        const Json once = damaged(sound, places[any_of(places.size())], any_of(ways));
        const auto left = places_in(once);
        try_state(restored, damaged(once, left[any_of(left.size())], any_of(ways)), features);
      }
    }
  }
}

}  // namespace opencd::test
