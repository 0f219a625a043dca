#include "files/atomic_file.hpp"

#include "error.hpp"
#include "files/safetensors_writer.hpp"
#include "support/file_content.hpp"
#include "support/message.hpp"
#include "support/skip.hpp"
#include "support/small_disk.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <string>
#include <vector>

namespace opencd::test {

using namespace files;

namespace {
/// Lets no file of this process grow beyond `bytes`, so that a write fails in the middle.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(FileSizeLimit&&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

/// True if `action` fails for want of space and says what to do.
template <class Action>
bool says_full(Action&& action) {
  try {
    action();
  } catch (const FormatError& error) {
    return contains(error.what(), "No space left") && contains(error.what(), "free some space");
  }
  return false;
}
}  // namespace

TEST_SUITE_BEGIN("files/atomic_file");

TEST_CASE("a committed file holds all that was written, and nothing else is left") {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a");
    file.reserve(1000);
    file.write("one ");
    file.write("");
    file.write("two");
    CHECK_FALSE(std::filesystem::exists(folder / "a"));
    file.commit();
  }
  CHECK_EQ(content(folder / "a"), "one two");
  write_file(folder / "a", "three");
  CHECK_EQ(content(folder / "a"), "three");
  CHECK_EQ(folder.entries(), 1);
}

TEST_CASE("without a commit the old file stays and the new one goes") {
  const TemporaryFolder folder;
  folder.put("a", "old");
  {
    AtomicFile(folder / "a").write("new");
  }
  CHECK_EQ(content(folder / "a"), "old");
  CHECK_EQ(folder.entries(), 1);
}

TEST_CASE("a new file has the rights that the user's mask leaves") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(0027);
  write_file(folder / "a", "x");
  ::umask(before);
  CHECK_EQ(static_cast<int>(std::filesystem::status(folder / "a").permissions()), 0640);
}

TEST_CASE("a name without a folder means the current one") {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("a", "x");
  std::filesystem::current_path(before);
  CHECK_EQ(content(folder / "a"), "x");
}

TEST_CASE("a write that fails at any byte leaves the old file and no other") {
  const TemporaryFolder folder;
  folder.put("a", "old");
  const std::string text(100, 'n');
  for (rlim_t room = 0; room < text.size(); ++room) {
    CAPTURE(room);
    AtomicFile file(folder / "a");
    {
      const FileSizeLimit limit(room);
      CHECK_CONTAINS(message_of<FormatError>([&] { file.write(text); }), "cannot write");
    }
    CHECK_EQ(folder.entries(), 1);
    CHECK_THROWS_AS(file.write("n"), FormatError);
    CHECK_THROWS_AS(file.commit(), FormatError);
    CHECK_EQ(content(folder / "a"), "old");
  }
}

TEST_CASE("a failed rename leaves what was there and no other file") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  CHECK_CONTAINS(message_of<FormatError>([&] { write_file(folder / "a", "x"); }), "cannot rename");
  CHECK(std::filesystem::is_directory(folder / "a"));
  CHECK_EQ(folder.entries(), 1);
}

TEST_CASE("a missing folder is named") {
  const TemporaryFolder folder;
  const auto message = message_of<FormatError>([&] { write_file(folder / "no/a", "x"); });
  CHECK_CONTAINS(message, "/no/a\": No such file or directory");
}

TEST_CASE("a full disk leaves the old file, no other, and says what to do") {
  const TemporaryFolder folder;
  const int outcome = on_small_disk(folder, [&] {
    write_file(folder / "a", "old");
    const std::string large(100'000, 'n');
    const std::vector<TensorEntry> entries = {{"t", ElementType::u8, {100'000}}};
    return says_full([&] { write_file(folder / "a", large); }) &&
           says_full([&] { AtomicFile(folder / "a").reserve(100'000); }) &&
           says_full([&] { SafetensorsWriter(folder / "a", entries); }) &&
           content(folder / "a") == "old" && folder.entries() == 1;
  });
  if (outcome == not_mounted) SKIP_CASE("this user may not mount a small file system");
  CHECK_EQ(outcome, as_claimed);
}

TEST_SUITE_END();

}  // namespace opencd::test
