#include "files/sha256.hpp"

#include "error.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cstdio>

namespace opencd::test {

using namespace files;

namespace {
/// The first word that `sha256sum` prints; empty where there is no such program.
std::string by_sha256sum(const std::filesystem::path& path) {
  FILE* pipe = ::popen(("sha256sum '" + path.string() + "' 2>/dev/null").c_str(), "r");
  if (!pipe) return "";
  char digits[65] = {};
  const bool read = std::fscanf(pipe, "%64s", digits) == 1;
  ::pclose(pipe);
  return read ? digits : "";
}
}  // namespace

TEST_SUITE_BEGIN("files/sha256");

TEST_CASE("digests are those of the standard's examples") {
  CHECK_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK_EQ(sha256(std::string(1'000'000, 'a')),
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("pieces give the digest of the whole") {
  const std::string text = "the same bytes in any pieces";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Sha256 hash;
    hash.update(std::as_bytes(std::span(text)).first(cut));
    hash.update(std::as_bytes(std::span(text)).subspan(cut));
    CHECK_EQ(hash.finish(), sha256(text));
  }
}

TEST_CASE("a file has the digest of its bytes, as sha256sum has it") {
  const TemporaryFolder folder;
  constexpr std::size_t kBlock = 1 << 20;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kBlock, 2 * kBlock + 17}) {
    CAPTURE(size);
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
    const auto path = folder.put("f", bytes);
    CHECK_EQ(sha256_of_file(path), sha256(bytes));
    const std::string reference = by_sha256sum(path);
    if (reference.empty()) SKIP_CASE("no sha256sum here to compare with");
    CHECK_EQ(sha256_of_file(path), reference);
  }
  CHECK_THROWS_AS(sha256_of_file(folder / "none"), FormatError);
}

TEST_SUITE_END();

}  // namespace opencd::test
