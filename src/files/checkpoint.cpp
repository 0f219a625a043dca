#include "files/checkpoint.hpp"

#include "error.hpp"
#include "files/input_file.hpp"
#include "files/printable.hpp"
#include "files/sha256.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>

namespace opencd::files {

namespace {
namespace fs = std::filesystem;

constexpr std::size_t kMostSumsBytes = 4096;
constexpr std::size_t kDigits = 64;

/// Takes `prefix` and the number behind it from the front of `text`.
std::optional<std::int64_t> take_number(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
  fail<FormatError>("[checkpoint] {}: {}", in_quotes(file.native()), reason);
}

/// Every line is 64 digits, two spaces and a name.
std::map<std::string, std::string> read_sums(const fs::path& file) {
  const std::string text = read_text_file(file, kMostSumsBytes);
  std::map<std::string, std::string> sums;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos || end - begin < kDigits + 3 ||
        text.compare(begin + kDigits, 2, "  ") != 0)
      refuse(file, fmt::format("expected lines of a SHA-256 sum and a name, got {} at byte {}",
                               in_quotes(text.substr(begin, 40)), begin));
    sums[text.substr(begin + kDigits + 2, end - begin - kDigits - 2)] = text.substr(begin, kDigits);
    begin = end + 1;
  }
  return sums;
}

void verify_file(const fs::path& folder,
                 std::string_view name,
                 const std::map<std::string, std::string>& sums) {
  const fs::path file = folder / name;
  const auto expected = sums.find(std::string(name));
  if (expected == sums.end()) refuse(folder / kSumsFile, fmt::format("no sum for {}", name));
  if (const std::string sum = sha256_of_file(file); sum != expected->second)
    refuse(file, fmt::format("the bytes are not those that were saved: SHA-256 is {}, expected {}",
                             sum, printable(expected->second)));
}
}  // namespace

std::string checkpoint_name(const CheckpointPosition& position) {
  const std::string epoch = fmt::format("epoch-{:04}", position.epoch);
  return position.step == 0 ? epoch : fmt::format("{}-step-{:05}", epoch, position.step);
}

std::optional<CheckpointPosition> parse_checkpoint_name(std::string_view name) {
  CheckpointPosition position;
  std::string_view rest = name;
  const auto epoch = take_number(rest, "epoch-");
  if (!epoch) return std::nullopt;
  position.epoch = *epoch;
  if (!rest.empty()) position.step = take_number(rest, "-step-").value_or(0);
  // What comes out the same is what went in: no missing zeros, nothing behind.
  if (checkpoint_name(position) != name) return std::nullopt;
  return position;
}

std::string checkpoint_sums(const fs::path& folder) {
  std::string text;
  for (const std::string_view name : kCheckpointFiles)
    text += fmt::format("{}  {}\n", sha256_of_file(folder / name), name);
  return text;
}

void verify_checkpoint(const fs::path& folder) {
  const auto sums = read_sums(folder / kSumsFile);
  for (const std::string_view name : kCheckpointFiles) verify_file(folder, name, sums);
  if (sums.size() != kCheckpointFiles.size())
    refuse(folder / kSumsFile,
           fmt::format("expected {} sums, got {}", kCheckpointFiles.size(), sums.size()));
}

std::vector<Checkpoint> list_checkpoints(const fs::path& folder) {
  std::vector<Checkpoint> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (const auto position = parse_checkpoint_name(at->path().filename().native()))
      found.push_back({*position, at->path()});
  if (error && error != std::errc::no_such_file_or_directory)
    refuse(folder, "cannot be listed: " + error.message());
  std::sort(found.begin(), found.end(),
            [](const Checkpoint& a, const Checkpoint& b) { return a.position < b.position; });
  return found;
}

CheckpointSearch find_newest_checkpoint(const fs::path& folder) {
  CheckpointSearch search;
  std::vector<Checkpoint> found = list_checkpoints(folder);
  for (; !found.empty() && !search.newest; found.pop_back()) {
    try {
      verify_checkpoint(found.back().path);
      search.newest = found.back();
    } catch (const FormatError& error) {
      search.refused.push_back({found.back().name(), error.what()});
    }
  }
  return search;
}

}  // namespace opencd::files
