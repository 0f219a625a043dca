#include "data/npy.hpp"

#include "data/support/npy_files.hpp"

#include <cmath>

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/npy");

TEST_CASE("an array comes out with its type, shape and values") {
  const NpyArray array =
      parse_npy(Bytes(npy_file("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6.5f}))), "f");
  CHECK_EQ(array.type, NpyType::f32);
  CHECK_EQ(array.shape_text(), "(2, 3)");
  CHECK_EQ(to_floats(array), std::vector<float>{1, 2, 3, 4, 5, 6.5f});
}

TEST_CASE("every number type turns into floats") {
  const auto floats = [](const char* type, const ByteVector& bytes) {
    return to_floats(parse_npy(Bytes(npy_file(type, "(2,)", bytes)), "f"));
  };
  const std::vector<float> expected = {3.0f, 100.0f};
  CHECK_EQ(floats("|u1", bytes_of<std::uint8_t>({3, 100})), expected);
  CHECK_EQ(floats("|i1", bytes_of<std::int8_t>({3, 100})), expected);
  CHECK_EQ(floats("<u2", bytes_of<std::uint16_t>({3, 100})), expected);
  CHECK_EQ(floats("<i8", bytes_of<std::int64_t>({3, 100})), expected);
  CHECK_EQ(floats("<f8", bytes_of<double>({3, 100})), expected);
  CHECK_EQ(floats("<f2", bytes_of<std::uint16_t>({0x4200, 0x5640})), expected);
  // The smallest and the largest half, and a negative one below normal.
  CHECK_EQ(floats("<f2", bytes_of<std::uint16_t>({0x0001, 0x7bff})),
           std::vector<float>{std::ldexp(1.0f, -24), 65504.0f});
  CHECK_EQ(floats("<f2", bytes_of<std::uint16_t>({0x8200, 0xbc00})),
           std::vector<float>{-std::ldexp(1.0f, -15), -1.0f});
}

TEST_CASE("numbers that are not finite are refused with their place") {
  const ByteVector bytes = bytes_of<float>({1, INFINITY});
  CHECK_REFUSED(to_floats(parse_npy(Bytes(npy_file("<f4", "(2,)", bytes)), "f")), "f, element 1");
  const ByteVector half = bytes_of<std::uint16_t>({0x7e00});
  CHECK_REFUSED(to_floats(parse_npy(Bytes(npy_file("<f2", "(1,)", half)), "f")), "element 0");
  // Too large for a float.
  const ByteVector wide = bytes_of<double>({1e300});
  CHECK_REFUSED(to_floats(parse_npy(Bytes(npy_file("<f8", "(1,)", wide)), "f")), "element 0");
}

TEST_CASE("labels are whole numbers from -1") {
  const auto labels = [](const char* type, const char* shape, const ByteVector& bytes) {
    return to_labels(parse_npy(Bytes(npy_file(type, shape, bytes)), "f"));
  };
  CHECK_EQ(labels("<i8", "(3,)", bytes_of<std::int64_t>({2, -1, 0})),
           std::vector<std::int32_t>{2, -1, 0});
  CHECK_REFUSED(labels("<i8", "(1,)", bytes_of<std::int64_t>({-2})), "element 0");
  CHECK_REFUSED(labels("<u8", "(1,)", bytes_of<std::uint64_t>({1ull << 40})), "element 0");
  CHECK_REFUSED(labels("<f4", "(1,)", bytes_of<float>({1})), "whole numbers");
  CHECK_REFUSED(labels("<i8", "(1, 1)", bytes_of<std::int64_t>({1})), "one dimension");
}

TEST_CASE("what would run code or be read wrongly is refused with a way out") {
  const ByteVector eight(8);
  CHECK_REFUSED(parse_npy(Bytes(npy_file("|O", "(1,)", eight)), "f"), "object arrays");
  CHECK_REFUSED(parse_npy(Bytes(npy_file(">f4", "(2,)", eight)), "f"), "little-endian");
  CHECK_REFUSED(parse_npy(Bytes(npy_file("<c8", "(1,)", eight)), "f"), "one of u1");
  CHECK_REFUSED(parse_npy(Bytes(npy_file("<f4", "(2,)", eight, "True")), "f"),
                "numpy.ascontiguousarray");
  CHECK_REFUSED(parse_npy(Bytes(npy_with_header("{'descr': [('a', '<f4')], "
                                                "'fortran_order': False, 'shape': (2,)}",
                                                eight)),
                          "f"),
                "record type");
}

TEST_CASE("lying or broken headers are refused before memory is taken") {
  const auto refused = [](const ByteVector& file) {
    return format_complaint([&] { parse_npy(Bytes(file), "f"); });
  };
  const ByteVector eight(8);
  for (const char* shape :
       {"(3,)", "(1,)", "(99999999999,)", "(4294967296, 4294967296, 2)", "(18446744073709551616,)",
        "(-1,)", "(2", "2", "(2,,)", "(1,1,1,1,1,1,1,1,2)", "(2.0,)", ""})
    CHECK_NE(refused(npy_file("<f4", shape, eight)), "");
  for (const char* header : {
           "",
           "{}",
           "{'descr': '<f4', 'shape': (2,)}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} trailing",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
           "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}",
       })
    CHECK_NE(refused(npy_with_header(header, eight)), "");
  ByteVector wrong = npy_file("<f4", "(2,)", eight);
  wrong[6] = 9;
  CHECK_REFUSED(parse_npy(Bytes(wrong), "f"), "byte 6: expected version");
  wrong[6] = 2;  // four bytes of length, two of them text
  CHECK_NE(refused(wrong), "");
}

TEST_CASE("a file cut anywhere is refused") {
  const ByteVector whole = npy_file("<f4", "(2,)", bytes_of<float>({1, 2}));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_REFUSED(parse_npy(Bytes(ByteVector(whole.begin(),
                                             whole.begin() + static_cast<std::ptrdiff_t>(size))),
                            "cut.npy"),
                  "cut.npy");
}

TEST_SUITE_END();

}  // namespace opencd::test
