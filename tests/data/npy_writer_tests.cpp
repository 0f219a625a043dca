#include "data/npy_writer.hpp"

#include "data/npy.hpp"
#include "data/support/files.hpp"
#include "error.hpp"
#include "support/test_data.hpp"

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/npy_writer");

TEST_CASE("files are those of numpy.save, byte for byte") {
  const TempFolder folder;
  const auto path = folder.path() / "array.npy";
  write_npy(path, std::vector<float>{0.5f, -1.25f, 3.0f, 1e-30f, 65504.0f, -0.0f}, {2, 3});
  CHECK_EQ(read_file(path), read_file(golden("npy/floats.npy")));
  write_npy(path, std::vector<std::int32_t>{7, -1, 2'000'000'000}, {3});
  CHECK_EQ(read_file(path), read_file(golden("npy/numbers.npy")));
  write_npy(path, std::vector<float>{}, {0, 512});
  CHECK_EQ(read_file(path), read_file(golden("npy/empty.npy")));
}

TEST_CASE("what is written reads back, at any length of the header") {
  const TempFolder folder;
  const auto path = folder.path() / "array.npy";
  for (std::size_t extent = 1; extent <= 100'000; extent *= 10) {
    const std::vector<std::size_t> shape = {1, extent, 1, 1, 1, 1, 1, 1};
    const std::vector<float> values(extent, 0.25f);
    write_npy(path, values, shape);
    const NpyArray array = read_npy(path);
    CHECK_EQ(array.shape, shape);
    CHECK_EQ(to_floats(array), values);
    CHECK_EQ((read_file(path).size() - 4 * extent) % 64, 0);
  }
}

TEST_CASE("a shape that does not fit the values is refused and leaves no file") {
  const TempFolder folder;
  const auto path = folder.path() / "array.npy";
  CHECK_THROWS_AS(write_npy(path, std::vector<float>(5), {2, 3}), ShapeError);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_SUITE_END();

}  // namespace opencd::test
