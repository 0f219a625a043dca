// .npz archives: a ZIP file of .npy files, read through libzip from memory.
#include "data/expansion.hpp"
#include "data/file.hpp"
#include "data/npy.hpp"
#include "error.hpp"

#include <zip.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace opencd::data {

namespace {

constexpr zip_uint64_t kMaxEntries = 256;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

Archive open_archive(std::span<const std::uint8_t> file, const std::string& name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(file.data(), file.size(), 0, &error);
  zip_t* archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  const std::string reason = archive ? "" : zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive) return Archive(archive);
  if (source) zip_source_free(source);
  fail<FormatError>("[npz] {}: not a ZIP archive that can be read ({})", name, reason);
}

void read_exactly(zip_file_t* entry, std::span<std::uint8_t> dst, const std::string& name) {
  std::size_t done = 0;
  while (done < dst.size()) {
    const zip_int64_t count = zip_fread(entry, dst.data() + done, dst.size() - done);
    if (count <= 0)
      fail<FormatError>("[npz] {}: broken or cut at byte {} of {}", name, done, dst.size());
    done += static_cast<std::size_t>(count);
  }
}

/// Reads the header first: it must promise what the archive's directory says before the memory for
/// it is taken.
NpyArray read_entry(zip_t* archive, const zip_stat_t& status, const std::string& name) {
  const Entry entry(zip_fopen_index(archive, status.index, 0));
  if (!entry) fail<FormatError>("[npz] {}: cannot be opened ({})", name, zip_strerror(archive));
  check_expansion(status.comp_size, status.size, name);
  std::vector<std::uint8_t> bytes(std::min<std::size_t>(status.size, kMaxNpyHeader));
  read_exactly(entry.get(), bytes, name);
  const NpyHeader header = parse_npy_header(bytes, name);
  if (header.header_bytes + header.data_bytes != status.size)
    fail<FormatError>("[npz] {}: {} bytes, but its header asks for {}", name, status.size,
                      header.header_bytes + header.data_bytes);
  const std::size_t head = bytes.size();
  bytes.resize(status.size);
  read_exactly(entry.get(), std::span(bytes).subspan(head), name);
  std::uint8_t beyond;
  if (zip_fread(entry.get(), &beyond, 1) != 0)
    fail<FormatError>("[npz] {}: longer than the archive says, or its checksum is wrong", name);
  return parse_npy(Bytes(std::move(bytes)), name);
}

}  // namespace

NpyArchive parse_npz(std::span<const std::uint8_t> file, const std::string& name) {
  const Archive archive = open_archive(file, name);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count < 1 || static_cast<zip_uint64_t>(count) > kMaxEntries)
    fail<FormatError>("[npz] {}: {} entries, expected 1 to {}", name, count, kMaxEntries);
  NpyArchive arrays;
  std::size_t total = 0;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t status;
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(archive.get(), i, 0, &status) != 0 || (status.valid & kNeeded) != kNeeded)
      fail<FormatError>("[npz] {}, entry {}: {}", name, i, zip_strerror(archive.get()));
    std::string key = status.name;
    const std::string place = fmt::format("{}:{}", name, display_text(key));
    if (!key.ends_with(".npy")) fail<FormatError>("[npz] {}: expected .npy entries only", place);
    key.resize(key.size() - 4);
    // Entries may share their packed bytes, so the sum is bounded as well as each.
    if (status.size > kMaxFileBytes || __builtin_add_overflow(total, status.size, &total))
      fail<FormatError>("[npz] {}: claims {} bytes", place, status.size);
    check_expansion(file.size(), total, name);
    status.index = i;
    if (!arrays.emplace(key, read_entry(archive.get(), status, place)).second)
      fail<FormatError>("[npz] {}: there twice", place);
  }
  return arrays;
}

NpyArchive read_npz(const std::filesystem::path& path) {
  return parse_npz(read_file(path), display_name(path));
}

}  // namespace opencd::data
