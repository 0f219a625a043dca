#include "data/array_set.hpp"

#include "data/npy.hpp"
#include "data/support/npy_files.hpp"

namespace opencd::test {

using namespace data;

namespace {

ByteVector counting(std::size_t count) {
  ByteVector bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return bytes;
}

}  // namespace

TEST_SUITE_BEGIN("data/array_set");

TEST_CASE("pictures in all layouts give rows of height x width x channels") {
  const TempFolder folder;
  const auto read = [&](const char* shape, bool rgb) {
    return read_image_arrays(folder.write("x.npy", npy_file("|u1", shape, counting(24))), rgb);
  };
  const ImageSet grey = read("(4, 2, 3)", false);
  CHECK_EQ(grey.shape, ImageShape{2, 3, 1});
  CHECK_EQ(grey.train.labels, std::vector<std::int32_t>(4, kNoLabel));
  CHECK_EQ(read("(4, 2, 3)", true).shape, ImageShape{2, 3, 3});
  const ImageSet pixels = read("(2, 2, 2, 3)", true);
  CHECK_EQ(pixels.shape, ImageShape{2, 2, 3});
  CHECK_EQ(pixels.train.pixels.view()[4], 4);
  const ImageSet planes = read("(2, 3, 2, 2)", true);
  CHECK_EQ(planes.shape, ImageShape{2, 2, 3});
  const ByteVector expected = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 12, 16, 20};
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK_EQ(planes.train.pixels.view()[i], expected[i]);
}

TEST_CASE("an archive brings labels and held-out rows") {
  const TempFolder folder;
  const auto path =
      write_zip(folder.path() / "set.npz",
                {{"x_train.npy", npy_file("|u1", "(3, 2, 2)", counting(12))},
                 {"y_train.npy", npy_file("<i8", "(3,)", bytes_of<std::int64_t>({1, 0, 2}))},
                 {"x_test.npy", npy_file("|u1", "(1, 2, 2)", counting(4))},
                 {"y_test.npy", npy_file("|u1", "(1,)", {3})}});
  const ImageSet set = read_image_arrays(path, false);
  CHECK_EQ(set.train.labels, std::vector<std::int32_t>{1, 0, 2});
  CHECK_EQ(set.test.labels, std::vector<std::int32_t>{3});
  CHECK_EQ(set.class_names.size(), 4);
}

TEST_CASE("features come with their labels") {
  const TempFolder folder;
  const auto path =
      write_zip(folder.path() / "set.npz",
                {{"x.npy", npy_file("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6}))},
                 {"y.npy", npy_file("<i4", "(2,)", bytes_of<std::int32_t>({7, -1}))}});
  const FeatureSet set = read_features(path);
  CHECK_EQ(set.rows, 2);
  CHECK_EQ(set.columns, 3);
  CHECK_EQ(set.row(1)[2], 6.0f);
  CHECK_EQ(set.labels, std::vector<std::int32_t>{7, -1});
  CHECK(set.hash.starts_with("sha256:"));
}

TEST_CASE("arrays that are not pictures or features are refused") {
  const TempFolder folder;
  const auto image = [&](const char* type, const char* shape, std::size_t bytes) {
    return read_image_arrays(folder.write("x.npy", npy_file(type, shape, counting(bytes))), true);
  };
  CHECK_REFUSED(image("|u1", "(2, 2, 2, 4)", 32), "expected pictures");
  CHECK_REFUSED(image("<f4", "(1, 2, 2, 3)", 48), "unsigned bytes");
  CHECK_REFUSED(image("|u1", "(4, 0, 3)", 0), "no pixels");
  CHECK_REFUSED(image("|u1", "()", 1), "expected pictures");
  CHECK_REFUSED(read_features(folder.write("f.npy", npy_file("<f4", "(2,)", counting(8)))),
                "(rows, columns)");
  CHECK_REFUSED(read_features(folder.write("f.npy", npy_file("<f4", "(0, 4)", {}))), "(0, 4)");
  const auto short_labels = write_zip(
      folder.path() / "a.npz",
      {{"x.npy", npy_file("<f4", "(2, 1)", counting(8))}, {"y.npy", npy_file("|u1", "(1,)", {0})}});
  CHECK_REFUSED(read_features(short_labels), "expected 2 labels, got 1");
  const auto wild =
      write_zip(folder.path() / "b.npz",
                {{"x.npy", npy_file("|u1", "(1, 2, 2)", counting(4))},
                 {"y.npy", npy_file("<i4", "(1,)", bytes_of<std::int32_t>({1 << 30}))}});
  CHECK_REFUSED(read_image_arrays(wild, true), "expected class numbers below");
}

TEST_CASE("archives that are broken or lie are refused") {
  const TempFolder folder;
  CHECK_REFUSED(parse_npz(counting(100), "f.npz"), "f.npz: not a ZIP");
  CHECK_REFUSED(parse_npz({}, "f.npz"), "f.npz");
  const auto other = write_zip(folder.path() / "o.npz", {{"readme.txt", {1, 2}}});
  CHECK_REFUSED(read_npz(other), "o.npz:readme.txt: expected .npy entries only");
  const auto short_entry =
      write_zip(folder.path() / "s.npz", {{"x.npy", npy_file("|u1", "(900,)", counting(9))}});
  CHECK_REFUSED(read_npz(short_entry), "its header asks for");
  const auto good =
      write_zip(folder.path() / "g.npz", {{"x.npy", npy_file("|u1", "(300,)", counting(300))}});
  const ByteVector whole = read_file(good);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_REFUSED(parse_npz(std::span(whole).first(size), "cut.npz"), "cut.npz");
  // Every flipped byte is noticed, or changes nothing that matters (times, versions).
  const NpyArchive expected = parse_npz(whole, "g.npz");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    ByteVector flipped = whole;
    flipped[at] ^= 0x55;
    NpyArchive got;
    if (format_complaint([&] { got = parse_npz(flipped, "g.npz"); }) != "") continue;
    REQUIRE_EQ(got.size(), 1);
    const auto bytes = got.begin()->second.bytes.view();
    const auto right = expected.at("x").bytes.view();
    CHECK(std::equal(bytes.begin(), bytes.end(), right.begin(), right.end()));
  }
}

TEST_CASE("a zip bomb is refused before it expands") {
  const TempFolder folder;
  const std::size_t size = std::size_t{300} << 20;
  const auto bomb =
      write_zip(folder.path() / "bomb.npz",
                {{"x.npy", npy_file("|u1", fmt::format("({},)", size), ByteVector(size))}});
  CHECK_LT(std::filesystem::file_size(bomb), 1 << 20);
  CHECK_REFUSED(read_npz(bomb), "bomb");
}

TEST_SUITE_END();

}  // namespace opencd::test
