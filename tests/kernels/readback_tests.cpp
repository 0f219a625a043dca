#include "kernels/readback.hpp"

#include "kernels/elementwise.hpp"
#include "support/device.hpp"

#include <doctest/doctest.h>

using namespace opencd::kernels;

TEST_SUITE("kernels/readback") {
  TEST_CASE("a value arrives as it was when the copy was started") {
    Device& device = opencd::test::test_device();
    const Buffer<float> value(device, 1);
    Readback<float> readback(device);
    fill(device, value, 1.5f);
    readback.start(value.view());
    fill(device, value, 2.5f);
    CHECK(readback.finish() == 1.5f);
    CHECK(readback.finish() == 1.5f);
    readback.start(value.view());
    CHECK(readback.finish() == 2.5f);
  }

  TEST_CASE("a readback that nobody looks at ends well") {
    Device& device = opencd::test::test_device();
    const Buffer<float> value(device, 1);
    fill(device, value, 3.0f);
    Readback<float> readback(device);
    readback.start(value.view());
  }
}
