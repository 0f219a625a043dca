// Numbers that are not finite are told, and batches of nothing make none.
#include "support/small_training.hpp"

#include <cmath>
#include <limits>

namespace opencd::test {

TEST_SUITE("opencd/finite_training") {
  TEST_CASE("features of weights that are no numbers are refused, and the tensor is named") {
    Training training(small_set());
    training.run(1);
    nn::ParameterSet& parameters = training.trainer.model().parameters();
    const struct {
      const char* name;
      float value;
      const char* told;
    } cases[] = {{"layer3.0.bn1.running_var", std::nanf(""), "nan"},
                 {"layer3.0.bn1.running_var", -1.0f, "-1"},
                 {"layer1.0.conv1.weight", std::nanf(""), "nan"},
                 {"prototypes", std::numeric_limits<float>::infinity(), "inf"}};
    for (const auto& [name, value, told] : cases) {
      CAPTURE(name);
      const nn::Parameter& parameter = *parameters.find(name);
      const std::vector<float> right = parameters.read(parameter);
      std::vector<float> values = right;
      values[3] = value;
      parameters.write(parameter, values);
      std::string message;
      try {
        training.trainer.predict_train(training.split.unlabeled);
      } catch (const NonFiniteError& error) {
        message = error.what();
      }
      CHECK_EQ(message.rfind(fmt::format("[features] {} holds {} at element 3", name, told), 0), 0);
      parameters.write(parameter, right);
    }
    training.trainer.predict_train(training.split.unlabeled);
  }

  TEST_CASE("features that overflow are refused, and the row is named") {
    Training training(small_set());
    training.run(1);
    nn::ParameterSet& parameters = training.trainer.model().parameters();
    const nn::Parameter& norm = *parameters.find("layer4.1.bn2.bias");
    std::vector<float> values = parameters.read(norm);
    std::fill(values.begin(), values.end(), std::numeric_limits<float>::max());
    parameters.write(norm, values);
    std::string message;
    try {
      training.trainer.predict_train(std::vector<std::uint32_t>{11, 12});
    } catch (const NonFiniteError& error) {
      message = error.what();
    }
    CHECK_EQ(message.rfind("[features] the features of row 11 are not finite", 0), 0);
  }

  TEST_CASE("pictures that are all black make finite losses and weights, with any method") {
    for (const MethodCase& choice : all_methods()) {
      CAPTURE(choice.method);
      data::ImageSet set = small_set();
      set.train.pixels = data::Bytes(std::vector<std::uint8_t>(set.train.pixels.size(), 0));
      Training training(std::move(set), choice);
      training.run(training.all_steps());  // throws if a gradient is not finite
      for (const auto& [name, value] : training.trainer.method().losses()) {
        CAPTURE(name);
        CHECK(std::isfinite(value));
      }
      for (const float weight : training.weights())
        if (!std::isfinite(weight)) FAIL("a weight is not finite");
    }
  }

  TEST_CASE("a gradient that is not finite stops training before the update") {
    Training training(small_set());
    training.run(1);
    nn::ParameterSet& parameters = training.trainer.model().parameters();
    const nn::Parameter& prototypes = *parameters.find("prototypes");
    std::vector<float> values = parameters.read(prototypes);
    values[0] = std::numeric_limits<float>::quiet_NaN();
    parameters.write(prototypes, values);
    const nn::Parameter& head = *parameters.find("head.3.weight");
    const std::vector<float> before = parameters.read(head);
    training.trainer.step();
    CHECK_THROWS_AS(training.trainer.check_finite(), NonFiniteError);
    CHECK(parameters.read(head) == before);
  }
}

}  // namespace opencd::test
