// What a damaged checkpoint leads to: it is refused by name and the one before it is used.
#include "files/checkpoint.hpp"

#include "error.hpp"
#include "files/input_file.hpp"
#include "support/checkpoints.hpp"
#include "support/corruption.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

namespace opencd::test {

using namespace files;

namespace {
namespace fs = std::filesystem;

std::vector<std::string> all_files() {
  std::vector<std::string> names(kCheckpointFiles.begin(), kCheckpointFiles.end());
  names.emplace_back(kSumsFile);
  return names;
}

std::size_t count_all(const fs::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(folder)) ++count;
  return count;
}

/// Two checkpoints, the second of which is to be damaged.
struct TwoCheckpoints {
  TemporaryFolder folder;
  CheckpointFolder checkpoints{folder / "checkpoints"};
  Checkpoint first = save_small(checkpoints, {9, 0}, 1);
  Checkpoint second = save_small(checkpoints, {10, 0}, 2);

  /// Puts `bytes` in place of a file of the second: it must be refused by name, the first one found, and nothing removed.
  void check_refused(const std::string& name, const std::string& bytes) {
    const fs::path path = second.path / name;
    const std::string whole = read_text_file(path, 1 << 20);
    folder.put("checkpoints/epoch-0010/" + name, bytes);
    const std::size_t entries = count_all(folder.path());
    const CheckpointSearch search = find_newest_checkpoint(checkpoints.path());
    REQUIRE_EQ(search.refused.size(), 1);
    CHECK_EQ(search.refused[0].name, "epoch-0010");
    CHECK_CONTAINS(search.refused[0].reason, "epoch-0010/");
    REQUIRE(search.newest);
    CHECK_EQ(search.newest->path, first.path);
    CHECK_EQ(count_all(folder.path()), entries);
    folder.put("checkpoints/epoch-0010/" + name, whole);
  }
};
}  // namespace

TEST_SUITE_BEGIN("files/checkpoint");

TEST_CASE("names tell the position, and later positions are greater") {
  CHECK_EQ(checkpoint_name({10, 0}), "epoch-0010");
  CHECK_EQ(checkpoint_name({10, 42}), "epoch-0010-step-00042");
  CHECK_EQ(checkpoint_name({12345, 678901}), "epoch-12345-step-678901");
  for (const CheckpointPosition position :
       {CheckpointPosition{0, 0}, {0, 1}, {10, 42}, {12345, 678901}})
    CHECK((parse_checkpoint_name(checkpoint_name(position)) == position));
  CHECK(CheckpointPosition{9, 99} < CheckpointPosition{10, 0});
  CHECK(CheckpointPosition{10, 0} < CheckpointPosition{10, 1});
}

TEST_CASE("other names are no checkpoints") {
  for (const char* name :
       {"", "epoch-", "epoch-10", "epoch-00010", "epoch--001", "epoch-+010", "epoch-0010-", "last",
        "epoch-0010-step-", "epoch-0010-step-42", "epoch-0010-step-00000", "epoch-0010-step-00042x",
        "xepoch-0010", "epoch-99999999999999999999", ".tmp-1-2"}) {
    CAPTURE(name);
    CHECK_FALSE(parse_checkpoint_name(name));
  }
}

TEST_CASE("the sums are those of sha256sum") {
  TwoCheckpoints two;
  const std::string command =
      "cd " + two.second.path.string() + " && sha256sum --quiet --strict -c SHA256SUMS";
  CHECK_EQ(std::system(command.c_str()), 0);
  CHECK_NOTHROW(verify_checkpoint(two.second.path));
}

TEST_CASE("cut at every 97th byte, any file gives the checkpoint away") {
  TwoCheckpoints two;
  for (const std::string& name : all_files()) {
    const std::string whole = read_text_file(two.second.path / name, 1 << 20);
    for (std::size_t size = 0; size < whole.size(); size += 97) {
      CAPTURE(name);
      CAPTURE(size);
      two.check_refused(name, whole.substr(0, size));
    }
    two.check_refused(name, whole.substr(0, whole.size() - 1));
    two.check_refused(name, whole + "x");
  }
  CHECK_EQ(find_newest_checkpoint(two.checkpoints.path()).newest->path, two.second.path);
}

TEST_CASE("flipped at every 97th place, any file gives the checkpoint away") {
  TwoCheckpoints two;
  for (const std::string& name : all_files()) {
    const std::string whole = read_text_file(two.second.path / name, 1 << 20);
    for (std::size_t at = 0; at < whole.size(); at += 97)
      for (const int bit : {0, 7}) {
        CAPTURE(name);
        CAPTURE(at);
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        two.check_refused(name, bytes);
      }
  }
}

TEST_CASE("a file that is missing or swapped with another is named") {
  TwoCheckpoints two;
  for (const std::string& name : all_files()) {
    CAPTURE(name);
    fs::rename(two.second.path / name, two.folder / "kept");
    CHECK_CONTAINS(message_of<FormatError>([&] { verify_checkpoint(two.second.path); }), name);
    fs::rename(two.folder / "kept", two.second.path / name);
  }
  fs::copy_file(two.first.path / "model.safetensors", two.second.path / "model.safetensors",
                fs::copy_options::overwrite_existing);
  CHECK_CONTAINS(message_of<FormatError>([&] { verify_checkpoint(two.second.path); }),
                 "epoch-0010/model.safetensors\": the bytes are not those that were saved");
}

TEST_CASE("a folder without checkpoints, or none at all, has nothing to offer") {
  const TemporaryFolder folder;
  CHECK_FALSE(find_newest_checkpoint(folder / "none").newest);
  folder.put("epoch-0001", "a file");
  const CheckpointSearch search = find_newest_checkpoint(folder.path());
  CHECK_FALSE(search.newest);
  CHECK_EQ(search.refused.size(), 1);
}

TEST_CASE("no byte of the sums can change or be missing unnoticed") {
  TwoCheckpoints two;
  const std::string sums(kSumsFile);
  for (const std::string& bytes : corruptions(read_text_file(two.second.path / sums, 1 << 20))) {
    CAPTURE(bytes);
    two.check_refused(sums, bytes);
  }
}

TEST_SUITE_END();

}  // namespace opencd::test
