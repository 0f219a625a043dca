// TensorBoard's own writer made the file in tests/golden, and its reader has read it (make_events.py): here the
// program writes the same events to the same bytes.
#include "files/event_file.hpp"

#include "files/input_file.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace opencd::test {

using namespace files;

namespace {
/// The events of tests/golden/metrics/events.out.tfevents.golden.
void write_events(const std::filesystem::path& folder) {
  EventFile file(folder, -1, 1700000000.25);
  file.add(0, 1700000001.5, {{"train/loss", 2.5}, {"train/lr", 1e-3}});
  file.add(1, 1700000002.5, {{"train/loss", -0.1}});
  file.add(300, 1700000003.5, {{"val/all", std::nan("")}, {"val/novel", INFINITY}});
  file.add(std::int64_t{1} << 40, 1700000004.5, {{"train/loss", 0.0}});
  file.add((std::int64_t{1} << 40) + 1, 1700000005.5, {});
}

std::filesystem::path only_file(const TemporaryFolder& folder) {
  REQUIRE_EQ(folder.entries(), 1);
  return std::filesystem::directory_iterator(folder.path())->path();
}
}  // namespace

TEST_SUITE_BEGIN("files/event_file");

TEST_CASE("the sum is CRC-32C") {
  CHECK_EQ(crc32c(""), 0u);
  CHECK_EQ(crc32c("123456789"), 0xe3069283u);
  CHECK_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
  CHECK_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST_CASE("the bytes are those that TensorBoard writes") {
  const TemporaryFolder folder;
  write_events(folder.path());
  const std::string golden =
      read_text_file(OPENCD_SOURCE_DIR "/tests/golden/metrics/events.out.tfevents.golden", 1 << 20);
  CHECK((read_text_file(only_file(folder), 1 << 20) == golden));
}

TEST_CASE("records up to a step are kept, whole ones only") {
  const TemporaryFolder folder;
  write_events(folder.path());
  const std::string bytes = read_text_file(only_file(folder), 1 << 20);
  CHECK_EQ(leading_events(bytes, std::numeric_limits<std::int64_t>::max()), bytes.size());
  CHECK_EQ(leading_events(bytes, -1), 0);
  const std::uint64_t version = leading_events(bytes.substr(0, 40), 0);
  CHECK_EQ(version, 12 + 9 + 15 + 4);  // wall_time and file_version in a frame
  CHECK_GT(leading_events(bytes, 0), version);
  CHECK_EQ(leading_events(bytes, 299), leading_events(bytes, 1));
  std::string damaged = bytes;
  damaged[leading_events(bytes, 0) + 20] ^= 1;
  CHECK_EQ(leading_events(damaged, 300), leading_events(bytes, 0));
}

TEST_CASE("a length that is larger than the file is no record") {
  std::string bytes(16, '\0');
  CHECK_EQ(leading_events(bytes, 0), 0);
  for (const char byte : {'\x01', '\x7f', '\xff'}) {
    bytes.assign(8, byte);
    const std::uint32_t sum = crc32c(bytes);
    const std::uint32_t masked = ((sum >> 15u) | (sum << 17u)) + 0xa282ead8u;
    for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(masked >> (8 * i) & 0xffu);
    CHECK_EQ(leading_events(bytes + std::string(100, 'x'), 0), 0);
  }
}

TEST_CASE("the newest of several files is continued") {
  const TemporaryFolder folder;
  const std::string old = "not touched";
  folder.put("events.out.tfevents.0000000001.host.1.0", old);
  folder.put("events.out.tfevents.0000000002.host.1.0", "broken");
  const EventFile file(folder.path(), 5, 7.0);
  CHECK_EQ(file.path().filename(), "events.out.tfevents.0000000002.host.1.0");
  CHECK_EQ(read_text_file(folder / "events.out.tfevents.0000000001.host.1.0", 100), old);
  CHECK_EQ(folder.entries(), 2);
}

TEST_SUITE_END();

}  // namespace opencd::test
