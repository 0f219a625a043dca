#include "data/cifar.hpp"

#include "data/support/cifar_files.hpp"

namespace opencd::test {

using namespace data;

TEST_SUITE_BEGIN("data/cifar");

TEST_CASE("pixels come out with their channels together and labels are the fine ones") {
  for (const CifarKind kind : {CifarKind::cifar10, CifarKind::cifar100}) {
    const ImageRows rows = parse_cifar(cifar_file(3, kind), kind, "file");
    REQUIRE_EQ(rows.size(), 3);
    CHECK_EQ(rows.labels, std::vector<std::int32_t>{0, 1, 2});
    for (std::size_t row = 0; row < 3; ++row)
      for (const std::size_t pixel : {0, 1, 33, 1023})
        for (std::size_t channel = 0; channel < 3; ++channel)
          CHECK_EQ(rows.pixels.view()[row * 3072 + pixel * 3 + channel],
                   row * 7 + channel * 50 + pixel % 41);
  }
}

TEST_CASE("a folder gives training batches in order, held-out rows and class names") {
  const TempFolder folder;
  write_cifar10_folder(folder, 10);
  ImageSet set = read_cifar(folder.path());
  CHECK_EQ(set.name, "cifar-10");
  CHECK_EQ(set.train.size(), 50);
  CHECK_EQ(set.test.size(), 10);
  CHECK_EQ(set.class_names[3], "3");
  CHECK_EQ(rows_per_class(set.train.labels, 10), std::vector<std::size_t>(10, 5));
  folder.write_text("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
  CHECK_EQ(read_cifar(folder.path()).class_names[3], "d");
}

TEST_CASE("files that are cut or too long are refused with the place") {
  const ByteVector whole = cifar_file(2, CifarKind::cifar10);
  ByteVector cut(whole.begin(), whole.end() - 1);
  CHECK_REFUSED(parse_cifar(cut, CifarKind::cifar10, "cut.bin"), "cut.bin: 6145 bytes");
  CHECK_REFUSED(parse_cifar(cut, CifarKind::cifar10, "cut.bin"), "ends at byte 3073");
  ByteVector longer = whole;
  longer.push_back(0);
  CHECK_REFUSED(parse_cifar(longer, CifarKind::cifar10, "long.bin"), "long.bin: 6147 bytes");
  CHECK_REFUSED(parse_cifar({}, CifarKind::cifar10, "empty.bin"), "0 bytes");
}

TEST_CASE("a file that is cut at the end of a record is noticed") {
  const TempFolder folder;
  write_cifar10_folder(folder, 10);
  folder.write("data_batch_3.bin", cifar_file(5, CifarKind::cifar10));
  CHECK_REFUSED(read_cifar(folder.path()), "data_batch_3.bin: 5 records");
  write_cifar10_folder(folder, 10);
  folder.write("test_batch.bin", cifar_file(5, CifarKind::cifar10));
  CHECK_REFUSED(read_cifar(folder.path()), "five times");
}

TEST_CASE("a label out of range is refused with its byte") {
  ByteVector file = cifar_file(2, CifarKind::cifar10);
  file[3073] = 10;
  CHECK_REFUSED(parse_cifar(file, CifarKind::cifar10, "f"),
                "f, byte 3073: expected a label below 10");
  file = cifar_file(2, CifarKind::cifar100);
  file[3075] = 100;
  CHECK_REFUSED(parse_cifar(file, CifarKind::cifar100, "f"), "byte 3075");
}

TEST_CASE("a missing batch and a wrong list of names are refused by name") {
  const TempFolder folder;
  write_cifar10_folder(folder, 2);
  folder.write_text("batches.meta.txt", "only\nthree\nnames\n");
  CHECK_REFUSED(read_cifar(folder.path()), "expected 10 names, got 3");
  folder.write_text("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nbell\a\n");
  CHECK_REFUSED(read_cifar(folder.path()), "line 10: expected a name in UTF-8, got bell\\x07");
  std::filesystem::remove(folder.path() / "data_batch_4.bin");
  CHECK_REFUSED(read_cifar(folder.path()), "data_batch_4.bin\": No such file");
}

TEST_SUITE_END();

}  // namespace opencd::test
