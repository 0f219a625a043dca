// Broken and hostile files: each is refused by a FormatError that names the file, or read for
// exactly what its header says; none crashes or makes the reader allocate what the file cannot hold.
#include "error.hpp"
#include "files/input_file.hpp"
#include "files/safetensors.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_data.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace opencd::test {

using namespace files;

namespace {
std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

std::string file_with(std::string_view header, std::size_t data_bytes = 0) {
  return little_endian(header.size()) + std::string(header) + std::string(data_bytes, 'x');
}

std::string tensor(std::string_view name,
                   std::string_view type,
                   std::string_view shape,
                   std::string_view offsets) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":{}}})", name, type, shape,
                     offsets);
}

std::string file_of_one(std::string_view type,
                        std::string_view shape,
                        std::string_view offsets,
                        std::size_t data_bytes) {
  return file_with(fmt::format("{{{}}}", tensor("t", type, shape, offsets)), data_bytes);
}

std::string file_of_two(std::string_view first, std::string_view second, std::size_t data_bytes) {
  const auto a = tensor("a", "U8", "[4]", first);
  const auto b = tensor("b", "U8", "[4]", second);
  return file_with(fmt::format("{{{},{}}}", a, b), data_bytes);
}

struct BadFile {
  const char* defect;
  std::string bytes;
  const char* message;
};

std::vector<BadFile> broken_frames() {
  return {
      {"empty", "", "too short"},
      {"seven bytes", "1234567", "too short"},
      {"length beyond the file", little_endian(3) + "{}", "expected at most 2"},
      {"length of 2^64 - 1", little_endian(~0ull) + "{}", "expected at most 2"},
      {"length that overflows with the 8 bytes", little_endian(~0ull - 7) + "{}", "at most 2"},
      {"empty header", file_with(""), "does not begin with"},
      {"space before the header", file_with(" {}"), "does not begin with"},
      {"byte-order mark", file_with("\xef\xbb\xbf{}"), "does not begin with"},
      {"list as header", file_with("[]"), "does not begin with"},
      {"not JSON", file_with("{abc}"), "parse error"},
      {"unfinished JSON", file_with("{\"a\":"), "parse error"},
      {"text behind the JSON", file_with("{} x"), "parse error"},
      {"comment", file_with("{}//"), "parse error"},
      {"zero byte behind the JSON", file_with(std::string_view("{}\0x", 4)), "zero byte at byte 2"},
      {"not UTF-8", file_with("{\"\xff\":1}"), "UTF-8"},
      {"deep nesting", file_with(R"({"a":)" + std::string(100'000, '[')), "deeper than 3"},
      {"data without tensors", file_with("{}", 1), "take 0 bytes of data, the file holds 1"},
  };
}

std::vector<BadFile> broken_descriptions() {
  const std::string good = R"("dtype":"U8","shape":[1],"data_offsets":[0,1])";
  const auto with = [](std::string_view inside) {
    return file_with(fmt::format(R"({{"t":{{{}}}}})", inside), 1);
  };
  return {
      {"same tensor twice", file_with(fmt::format(R"({{"t":{{{0}}},"t":{{{0}}}}})", good), 1),
       "twice"},
      {"same property twice", with(good + ",\"dtype\":\"U8\""), "\"dtype\" appears twice"},
      {"tensor is a number", file_with("{\"t\":1}"), "tensor \"t\" is not described"},
      {"unknown property", with(good + ",\"x\":1"), "unknown property \"x\""},
      {"no dtype", with(R"("shape":[1],"data_offsets":[0,1])"), "has no \"dtype\""},
      {"no shape", with(R"("dtype":"U8","data_offsets":[0,1])"), "has no \"shape\""},
      {"no offsets", with(R"("dtype":"U8","shape":[1])"), "has no \"data_offsets\""},
      {"dtype is a number", with(R"("dtype":1,"shape":[1],"data_offsets":[0,1])"), "not a text"},
      {"unknown dtype", file_of_one("F8_E4M3", "[1]", "[0,1]", 1), "has dtype \"F8_E4M3\""},
      {"lower-case dtype", file_of_one("u8", "[1]", "[0,1]", 1), "has dtype \"u8\""},
      {"shape is a number", file_of_one("U8", "1", "[0,1]", 1), "\"shape\" that is not a list"},
      {"negative extent", file_of_one("U8", "[-1]", "[0,1]", 1), "has -1 in its \"shape\""},
      {"fractional extent", file_of_one("U8", "[1.0]", "[0,1]", 1), "has 1.0 in its \"shape\""},
      {"extent of 2^63", file_of_one("U8", "[9223372036854775808]", "[0,1]", 1), "2^63 - 1"},
      {"extent of 2^64", file_of_one("U8", "[18446744073709551616]", "[0,1]", 1), "2^63 - 1"},
      {"text as extent", file_of_one("U8", "[\"1\"]", "[0,1]", 1), "in its \"shape\""},
      {"null as extent", file_of_one("U8", "[null]", "[0,1]", 1), "has null in its \"shape\""},
      {"shape that overflows", file_of_one("U8", "[4294967296,4294967296]", "[0,0]", 0), "63 bits"},
      {"size that overflows", file_of_one("F64", "[2305843009213693952]", "[0,0]", 0), "63 bits"},
      {"overflow before a zero", file_of_one("U8", "[4294967296,4294967296,0]", "[0,0]", 0),
       "63 bits"},
      {"metadata is a list", file_with(R"({"__metadata__":[]})"), "is not an object"},
      {"metadata is null", file_with(R"({"__metadata__":null})"), "is not an object"},
      {"metadata value is a number", file_with(R"({"__metadata__":{"a":1}})"),
       "\"a\" is not a text"},
      {"metadata key twice", file_with(R"({"__metadata__":{"a":"","a":""}})"),
       "\"a\" appears twice"},
  };
}

std::vector<BadFile> broken_offsets() {
  return {
      {"one offset", file_of_one("U8", "[1]", "[0]", 1), "has 1 \"data_offsets\""},
      {"three offsets", file_of_one("U8", "[1]", "[0,1,1]", 1), "has 3 \"data_offsets\""},
      {"negative offset", file_of_one("U8", "[1]", "[-1,0]", 1), "has -1 in its \"data_offsets\""},
      {"end before begin", file_of_one("U8", "[1]", "[1,0]", 1), "behind its end"},
      {"fewer bytes than the shape", file_of_one("F32", "[2]", "[0,4]", 4), "takes 8 bytes"},
      {"more bytes than the shape", file_of_one("F32", "[2]", "[0,12]", 12), "takes 8 bytes"},
      {"bytes for an empty tensor", file_of_one("F32", "[0]", "[0,4]", 4), "takes 0 bytes"},
      {"hole at the start", file_of_one("U8", "[1]", "[1,2]", 2), "expected 0 (a hole)"},
      {"hole between tensors", file_of_two("[0,4]", "[5,9]", 9), "expected 4 (a hole)"},
      {"overlap", file_of_two("[0,4]", "[3,7]", 7),
       "begins at data byte 3, expected 4 (an overlap)"},
      {"same bytes twice", file_of_two("[0,4]", "[0,4]", 4), "an overlap"},
      {"empty tensor outside the data", file_of_one("U8", "[0]", "[7,7]", 0), "a hole"},
      {"data longer than the tensors", file_of_one("U8", "[1]", "[0,1]", 2), "the file holds 2"},
      {"data cut short", file_of_one("U8", "[4]", "[0,4]", 3), "cut short"},
      {"tensor of an exabyte",
       file_of_one("U8", "[1152921504606846976]", "[0,1152921504606846976]", 8), "cut short"},
  };
}

/// A byte with each of its bits flipped, and the bytes that mean most in JSON.
std::string replacements(char byte) {
  std::string all("{}[]\",:\\-.e09 \0", 15);
  for (unsigned bit = 0; bit < 8; ++bit)
    all += static_cast<char>(static_cast<unsigned char>(byte) ^ (1u << bit));
  return all;
}

/// Refused with the file's name in the message, or read so that the tensors are the data exactly.
void check_refused_or_exact(const std::filesystem::path& path, const std::string& bytes) {
  try {
    const SafetensorsFile file(path);
    std::string data;
    for (const TensorInfo& tensor : file.tensors())
      for (const std::byte byte : file.read_bytes(tensor.name)) data += static_cast<char>(byte);
    REQUIRE_EQ(data, bytes.substr(bytes.size() - data.size()));
  } catch (const FormatError& error) {
    REQUIRE(contains(error.what(), path.native()));
  }
}
}  // namespace

TEST_SUITE_BEGIN("files/bad_safetensors");

TEST_CASE("every defect is refused with its reason") {
  const TemporaryFolder folder;
  for (const auto& table : {broken_frames(), broken_descriptions(), broken_offsets()})
    for (const BadFile& bad : table) {
      CAPTURE(bad.defect);
      const auto path = folder.put("bad.safetensors", bad.bytes);
      const auto message = message_of<FormatError>([&] { SafetensorsFile file(path); });
      CHECK_CONTAINS(message, path.native());
      CHECK_CONTAINS(message, bad.message);
    }
}

TEST_CASE("a header beyond 100 MB is refused before it is read") {
  const TemporaryFolder folder;
  const auto path = folder.put("huge", little_endian(kMostHeaderBytes + 1) + "{");
  std::filesystem::resize_file(path, kMostHeaderBytes + 9);  // sparse: takes no room
  const auto message = message_of<FormatError>([&] { SafetensorsFile file(path); });
  CHECK_CONTAINS(message, "a header of 100000001 bytes, expected at most 100000000");
}

TEST_CASE("a header with millions of values is refused") {
  const TemporaryFolder folder;
  std::string header = R"({"t":{"shape":[0)";
  for (int i = 0; i < 5'000'000; ++i) header += ",1";
  folder.put("many", file_with(header + "]}}"));
  const auto message = message_of<FormatError>([&] { SafetensorsFile file(folder / "many"); });
  CHECK_CONTAINS(message, "more than 4194304 values");
}

TEST_CASE("names cannot forge lines of a message") {
  const TemporaryFolder folder;
  folder.put("f", file_of_one("\\u001b[2J\\n", "[1]", "[0,1]", 1));
  const auto message = message_of<FormatError>([&] { SafetensorsFile file(folder / "f"); });
  CHECK_CONTAINS(message, R"("\x1b[2J\x0a")");
}

TEST_CASE("what is not a regular file is refused") {
  const TemporaryFolder folder;
  CHECK_CONTAINS(message_of<FormatError>([&] { SafetensorsFile file(folder.path()); }),
                 "not a regular file");
  CHECK_CONTAINS(message_of<FormatError>([&] { SafetensorsFile file(folder / "none"); }),
                 "No such file");
}

TEST_CASE("a file cut anywhere is refused") {
  const TemporaryFolder folder;
  const std::string bytes = read_text_file(golden("python.safetensors"), 1 << 20);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CAPTURE(length);
    folder.put("cut", bytes.substr(0, length));
    REQUIRE_THROWS_AS(SafetensorsFile(folder / "cut"), FormatError);
  }
}

TEST_CASE("a header with any one byte changed is refused or read for what it says") {
  const TemporaryFolder folder;
  const auto a = tensor("a", "F32", "[2,1]", "[0,8]");
  const auto b = tensor("b", "U8", "[3]", "[8,11]");
  const std::string bytes =
      file_with(fmt::format(R"({{{},{},"__metadata__":{{"k":"v"}}}})", a, b), 11);
  for (std::size_t at = 0; at < bytes.size() - 11; ++at)
    for (const char replacement : replacements(bytes[at])) {
      CAPTURE(at);
      CAPTURE(replacement);
      std::string changed = bytes;
      changed[at] = replacement;
      check_refused_or_exact(folder.put("changed", changed), changed);
    }
}

TEST_CASE("a file that shrinks while it is open is an error, not a crash") {
  const TemporaryFolder folder;
  folder.put("f", file_of_one("U8", "[4]", "[0,4]", 4));
  const SafetensorsFile file(folder / "f");
  std::filesystem::resize_file(folder / "f", 10);
  CHECK_CONTAINS(message_of<FormatError>([&] { file.read<std::uint8_t>("t"); }),
                 "while it was read");
}

TEST_SUITE_END();

}  // namespace opencd::test
