#include "files/event_file.hpp"

#include "files/input_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace opencd::files {

namespace {
namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr std::string_view kVersion = "brain.Event:2";
constexpr std::size_t kHead = 12;  // length and its sum
constexpr std::size_t kTail = 4;   // sum of the message

// Numbers of the fields; Summary and its Value each use 1 and 2 for their own.
enum Field : protozero::pbf_tag_type { wall_time = 1, step = 2, file_version = 3, summary = 5 };
enum SummaryField : protozero::pbf_tag_type { value = 1 };
enum ValueField : protozero::pbf_tag_type { tag = 1, simple_value = 2 };

std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1u) ^ ((rest & 1u) != 0 ? 0x82f63b78u : 0u);
    table[i] = rest;
  }
  return table;
}

/// TFRecord turns the sum and adds a constant, since sums of texts that hold sums are weak.
std::uint32_t masked_crc(std::string_view bytes) {
  const std::uint32_t sum = crc32c(bytes);
  return ((sum >> 15u) | (sum << 17u)) + 0xa282ead8u;
}

std::string little_endian(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xffu);
  return text;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return number;
}

std::string frame(const std::string& message) {
  const std::string length = little_endian(message.size(), 8);
  return length + little_endian(masked_crc(length), 4) + message +
         little_endian(masked_crc(message), 4);
}

/// The message at the front of `bytes`, if it is there whole.
std::optional<std::string_view> first_message(std::string_view bytes) {
  if (bytes.size() < kHead + kTail) return std::nullopt;
  const std::uint64_t length = from_little_endian(bytes.substr(0, 8));
  if (from_little_endian(bytes.substr(8, 4)) != masked_crc(bytes.substr(0, 8)) ||
      length > bytes.size() - kHead - kTail)
    return std::nullopt;
  const std::string_view message = bytes.substr(kHead, length);
  if (from_little_endian(bytes.substr(kHead + length, kTail)) != masked_crc(message))
    return std::nullopt;
  return message;
}

std::int64_t step_of(std::string_view message) {
  try {
    protozero::pbf_reader event(message.data(), message.size());
    return event.next(Field::step, protozero::pbf_wire_type::varint) ? event.get_int64() : 0;
  } catch (const protozero::exception&) {  // not written by us: as good as not there
    return std::numeric_limits<std::int64_t>::max();
  }
}

std::string version_event(double seconds) {
  std::string message;
  protozero::pbf_writer event(message);
  event.add_double(Field::wall_time, seconds);
  event.add_string(Field::file_version, kVersion.data(), kVersion.size());
  return frame(message);
}

/// The newest event file of the folder, or the name for a new one.
fs::path choose_file(const fs::path& folder, double seconds) {
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().native().starts_with(kPrefix))
      newest = std::max(newest, entry.path());
  if (!newest.empty()) return newest;
  std::array<char, 256> host = {};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"localhost"};
  return folder / fmt::format("{}{:010}.{}.{}.0", kPrefix, static_cast<std::int64_t>(seconds),
                              host.data(), ::getpid());
}

std::uint64_t bytes_to_keep(const fs::path& path, std::int64_t last_step, std::int64_t most) {
  if (!fs::exists(path)) return 0;
  return leading_events(read_text_file(path, std::numeric_limits<std::uint64_t>::max()), last_step,
                        most);
}
}  // namespace

EventFile::EventFile(const fs::path& folder,
                     std::int64_t last_step,
                     double wall_time,
                     std::int64_t most)
    : EventFile(choose_file(folder, wall_time), last_step, wall_time, most, Chosen()) {}

EventFile::EventFile(
    const fs::path& path, std::int64_t last_step, double wall_time, std::int64_t most, Chosen)
    : file_(path, bytes_to_keep(path, last_step, most)) {
  if (fs::file_size(path) == 0) file_.append(version_event(wall_time));
}

void EventFile::add(std::int64_t step,
                    double wall_time,
                    const std::vector<std::pair<std::string, double>>& scalars) {
  std::string message;
  protozero::pbf_writer event(message);
  event.add_double(Field::wall_time, wall_time);
  if (step != 0) event.add_int64(Field::step, step);  // protocol buffers leave zeros out
  {
    protozero::pbf_writer all(event, Field::summary);
    for (const auto& [name, number] : scalars) {
      protozero::pbf_writer one(all, SummaryField::value);
      one.add_string(ValueField::tag, name);
      one.add_float(ValueField::simple_value, static_cast<float>(number));
    }
  }
  file_.append(frame(message));
}

std::uint64_t leading_events(std::string_view bytes, std::int64_t last_step, std::int64_t most) {
  std::size_t kept = 0;
  std::int64_t records = -1;  // the version is none
  while (const auto message = first_message(bytes.substr(kept))) {
    if (step_of(*message) > last_step || ++records > most) break;
    kept += kHead + message->size() + kTail;
  }
  return kept;
}

std::uint32_t crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = crc_table();
  std::uint32_t sum = ~0u;
  for (const char byte : bytes)
    sum = (sum >> 8u) ^ table[(sum ^ static_cast<unsigned char>(byte)) & 0xffu];
  return ~sum;
}

}  // namespace opencd::files
