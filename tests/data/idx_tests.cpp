#include "data/idx.hpp"

#include "data/support/files.hpp"

#include <zlib.h>

namespace opencd::test {

using namespace data;

namespace {

ByteVector idx_file(const std::vector<std::uint32_t>& shape, std::size_t elements) {
  ByteVector bytes = {0, 0, 8, static_cast<std::uint8_t>(shape.size())};
  for (const std::uint32_t extent : shape)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<std::uint8_t>(extent >> shift));
  for (std::size_t i = 0; i < elements; ++i) bytes.push_back(static_cast<std::uint8_t>(i % 7));
  return bytes;
}

ByteVector gzip(const ByteVector& bytes) {
  z_stream stream{};
  REQUIRE_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  ByteVector packed(deflateBound(&stream, bytes.size()) + 64);
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

TEST_SUITE_BEGIN("data/idx");

TEST_CASE("plain and gzipped files give the same array") {
  const ByteVector plain = idx_file({3, 2, 4}, 24);
  for (const ByteVector& file : {plain, gzip(plain)}) {
    const IdxArray array = parse_idx(file, "f");
    CHECK_EQ(array.shape, std::vector<std::size_t>{3, 2, 4});
    CHECK_EQ(array.values, ByteVector(plain.begin() + 16, plain.end()));
  }
}

TEST_CASE("a folder with one pair has training rows, grey or as RGB") {
  const TempFolder folder;
  folder.write("t10k-images-idx3-ubyte.gz", gzip(idx_file({3, 2, 4}, 24)));
  folder.write("t10k-labels-idx1-ubyte", idx_file({3}, 3));
  CHECK(is_idx_folder(folder.path()));
  const ImageSet grey = read_idx(folder.path(), false);
  CHECK_EQ(grey.shape, ImageShape{2, 4, 1});
  CHECK_EQ(grey.train.labels, std::vector<std::int32_t>{0, 1, 2});
  CHECK_EQ(grey.test.size(), 0);
  const ImageSet rgb = read_idx(folder.path(), true);
  CHECK_EQ(rgb.shape, ImageShape{2, 4, 3});
  for (std::size_t i = 0; i < rgb.train.pixels.size(); ++i)
    CHECK_EQ(rgb.train.pixels.view()[i], grey.train.pixels.view()[i / 3]);
}

TEST_CASE("train and t10k stay apart and must have the same size of picture") {
  const TempFolder folder;
  folder.write("train-images-idx3-ubyte", idx_file({5, 2, 2}, 20));
  folder.write("train-labels-idx1-ubyte", idx_file({5}, 5));
  folder.write("t10k-images-idx3-ubyte", idx_file({2, 2, 2}, 8));
  folder.write("t10k-labels-idx1-ubyte", idx_file({2}, 2));
  const ImageSet set = read_idx(folder.path(), true);
  CHECK_EQ(set.train.size(), 5);
  CHECK_EQ(set.test.size(), 2);
  CHECK_EQ(set.class_names.size(), 5);
  folder.write("t10k-images-idx3-ubyte", idx_file({2, 2, 3}, 12));
  CHECK_REFUSED(read_idx(folder.path(), true), "2 x 3, but 2 x 2 in the training rows");
}

TEST_CASE("a file that is cut or too long is refused, packed or not") {
  const ByteVector whole = idx_file({3, 2, 4}, 24);
  ByteVector cut(whole.begin(), whole.end() - 1);
  ByteVector longer = whole;
  longer.push_back(9);
  CHECK_REFUSED(parse_idx(cut, "f"), "f: 23 bytes after the header of 16, expected 24");
  CHECK_REFUSED(parse_idx(longer, "f"), "25 bytes after");
  CHECK_REFUSED(parse_idx(gzip(cut), "f"), "expected 24 elements, got 23");
  CHECK_REFUSED(parse_idx(gzip(longer), "f"), "expected 24 elements, got more");
  ByteVector packed = gzip(whole);
  for (std::size_t size = 0; size < packed.size(); ++size)
    CHECK_REFUSED(parse_idx(std::span(packed).first(size), "f"), "f");
}

TEST_CASE("a lying header is refused before memory is taken") {
  CHECK_REFUSED(parse_idx(idx_file({0xffffffff, 0xffffffff, 0xffffffff}, 8), "f"), "byte 4");
  CHECK_REFUSED(parse_idx(idx_file({60'000, 1000, 1000}, 8), "f"), "expected 60000000000");
  CHECK_REFUSED(parse_idx(gzip(idx_file({60'000, 1000, 1000}, 8)), "f"), "cannot expand");
  ByteVector wrong = idx_file({1}, 1);
  wrong[2] = 0x0d;
  CHECK_REFUSED(parse_idx(wrong, "f"), "byte 0: expected 00 00 08, got 00 00 0d");
  wrong = idx_file({1}, 1);
  wrong[3] = 200;
  CHECK_REFUSED(parse_idx(wrong, "f"), "byte 3: expected 1 to 4 dimensions, got 200");
  CHECK_REFUSED(parse_idx(std::span(wrong).first(3), "f"), "shorter than a header");
}

TEST_CASE("labels that do not fit the images are refused") {
  const TempFolder folder;
  folder.write("train-images-idx3-ubyte", idx_file({5, 2, 2}, 20));
  folder.write("train-labels-idx1-ubyte", idx_file({4}, 4));
  CHECK_REFUSED(read_idx(folder.path(), true), "expected 5 labels, got 4");
}

TEST_SUITE_END();

}  // namespace opencd::test
