#include "files/cache_folder.hpp"

#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace opencd::test {

using namespace files;

namespace fs = std::filesystem;

namespace {

fs::path only_entry(const fs::path& folder) { return fs::directory_iterator(folder)->path(); }

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_SUITE_BEGIN("files/cache_folder");

TEST_CASE("what was stored comes back for its key alone") {
  const TemporaryFolder folder;
  const CacheFolder cache(folder / "made" / "when" / "needed");
  CHECK_FALSE(cache.load("a").has_value());
  const std::string bytes("line\n\0more", 10);
  cache.store("a", bytes);
  cache.store("b", "");
  CHECK(cache.load("a") == bytes);
  CHECK(cache.load("b") == "");
  CHECK_FALSE(cache.load("c").has_value());
  cache.store("a", "newer");
  CHECK(cache.load("a") == "newer");
}

TEST_CASE("threads that store and load at once get whole entries") {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  const auto entry = [](int writer) {
    return std::string(10'000, static_cast<char>('a' + writer));
  };
  std::atomic<int> strange = 0;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 4; ++writer)
    threads.emplace_back([&, writer] {
      for (int turn = 0; turn < 20; ++turn) {
        cache.store("key", entry(writer));
        const auto found = cache.load("key");
        if (!found || found != entry(found->front() - 'a')) ++strange;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(strange, 0);
  CHECK_EQ(folder.entries(), 1);
}

TEST_CASE("its folder is for the owner alone") {
  const TemporaryFolder folder;
  CacheFolder(folder / "cache").store("a", "b");
  CHECK_EQ(fs::status(folder / "cache").permissions(), fs::perms::owner_all);
}

TEST_CASE("a file that is cut or changed anywhere counts as absent") {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  cache.store("key", "some bytes");
  const fs::path file = only_entry(folder.path());
  const std::string whole = text_of(file);
  for (std::size_t place = 0; place < whole.size(); ++place) {
    folder.put(file.filename().string(), whole.substr(0, place));
    CHECK_FALSE(cache.load("key").has_value());
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    folder.put(file.filename().string(), changed);
    CHECK_FALSE(cache.load("key").has_value());
  }
}

TEST_CASE("a folder that cannot be made costs nothing but the cache") {
  const TemporaryFolder folder;
  folder.put("file", "");
  const CacheFolder cache(folder / "file" / "below");
  cache.store("a", "b");
  CHECK_FALSE(cache.load("a").has_value());
}

TEST_CASE("old entries go when a new one comes, other files stay") {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.path());
  cache.store("old", "1");
  fs::last_write_time(only_entry(folder.path()),
                      fs::file_time_type::clock::now() - std::chrono::hours(24 * 91));
  folder.put("notes.txt", "not ours");
  fs::last_write_time(folder / "notes.txt",
                      fs::file_time_type::clock::now() - std::chrono::hours(24 * 91));
  cache.store("new", "2");
  CHECK_FALSE(cache.load("old").has_value());
  CHECK(cache.load("new") == "2");
  CHECK(fs::exists(folder / "notes.txt"));
}

TEST_SUITE_END();

}  // namespace opencd::test
