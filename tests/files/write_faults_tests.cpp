// What is on the disk after any one system call of a write has failed.
#include "error.hpp"
#include "files/atomic_file.hpp"
#include "files/safetensors_writer.hpp"
#include "support/file_content.hpp"
#include "support/system_faults.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <map>
#include <string>

namespace opencd::test {

using namespace files;

namespace {
void write_new(const std::filesystem::path& path) {
  const std::vector<TensorEntry> entries = {{"a", ElementType::u8, {3}},
                                            {"b", ElementType::f32, {1}}};
  SafetensorsWriter writer(path, entries);
  writer.write<std::uint8_t>("a", std::vector<std::uint8_t>{1, 2, 3});
  writer.write<float>("b", std::vector<float>{0.5f});
  writer.commit();
}

std::string new_content(const TemporaryFolder& folder) {
  write_new(folder / "reference");
  const std::string bytes = content(folder / "reference");
  std::filesystem::remove(folder / "reference");
  return bytes;
}
}  // namespace

TEST_SUITE_BEGIN("files/write_faults");

TEST_CASE("whichever call fails, the old file or the whole new one is there, and nothing else") {
  const TemporaryFolder folder;
  const std::string whole = new_content(folder);
  std::map<std::string, int> failures;
  for (int nth = 1;; ++nth) {
    CAPTURE(nth);
    const auto path = folder.put("f", "old");
    bool refused = false;
    std::string call;
    {
      const Faults faults(nth, EIO);
      try {
        write_new(path);
      } catch (const FormatError&) {
        refused = true;
      }
      call = faults.failed_call();
    }
    if (call.empty()) break;
    CAPTURE(call);
    ++failures[call];
    REQUIRE_EQ(folder.entries(), 1);
    const bool renamed = content(path) == whole;
    REQUIRE((renamed || (refused && content(path) == "old")));
    // Only the last close, of the folder's descriptor, may fail unseen.
    if (call != "close" || failures[call] == 1) REQUIRE(refused);
  }
  // Header and two tensors; the file and its folder.
  CHECK_EQ(failures,
           std::map<std::string, int>{
               {"fallocate", 1}, {"write", 3}, {"fsync", 2}, {"close", 2}, {"rename", 1}});
}

TEST_CASE("a file system that cannot reserve room is written to all the same") {
  const TemporaryFolder folder;
  const std::string whole = new_content(folder);
  {
    const Faults faults(1, EOPNOTSUPP);
    write_new(folder / "f");
    CHECK_EQ(std::string(faults.failed_call()), "fallocate");
  }
  CHECK_EQ(content(folder / "f"), whole);
}

TEST_CASE("writes that are interrupted or take one byte at a time end with the whole file") {
  const TemporaryFolder folder;
  const std::string whole = new_content(folder);
  for (int nth = 1; nth <= 100; ++nth) {
    CAPTURE(nth);
    {
      const Faults faults(nth, EINTR, 1);
      write_new(folder / "f");
      CHECK(faults.fired());
    }
    CHECK_EQ(content(folder / "f"), whole);
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
