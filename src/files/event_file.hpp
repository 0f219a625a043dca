// Scalars for TensorBoard. An event file is a row of records,
//   8 bytes  length N, little-endian      4 bytes  masked CRC-32C of these 8
//   N bytes  an Event message             4 bytes  masked CRC-32C of the message
// and a message is protocol-buffer fields: 1 wall_time (double), 2 step (int64),
// 3 file_version (the first record's), 5 summary { 1 value { 1 tag, 2 simple_value (float) } }.
#pragma once

#include "files/append_file.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opencd::files {

constexpr std::int64_t kAllEvents = std::numeric_limits<std::int64_t>::max();

class EventFile {
 public:
  /// Opens the newest events.out.tfevents.* of `folder`, cut back to the whole records up to
  /// `last_step`, `most` of them at most, or makes one named after `wall_time` (seconds since 1970).
  EventFile(const std::filesystem::path& folder,
            std::int64_t last_step,
            double wall_time,
            std::int64_t most = kAllEvents);

  void add(std::int64_t step,
           double wall_time,
           const std::vector<std::pair<std::string, double>>& scalars);
  void sync() { file_.sync(); }

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  struct Chosen {};
  EventFile(const std::filesystem::path& path,
            std::int64_t last_step,
            double wall_time,
            std::int64_t most,
            Chosen chosen);

  AppendFile file_;
};

/// The bytes of the leading records of an event file that are whole and not after `last_step`, of the version with which
/// it begins and `most` more.
std::uint64_t leading_events(std::string_view bytes,
                             std::int64_t last_step,
                             std::int64_t most = kAllEvents);

/// CRC-32C (Castagnoli), as iSCSI and TFRecord use it.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace opencd::files
