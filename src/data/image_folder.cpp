#include "data/image_folder.hpp"

#include "data/class_list.hpp"
#include "data/content_hash.hpp"
#include "data/file.hpp"
#include "data/parallel.hpp"
#include "data/picture.hpp"
#include "data/picture_files.hpp"
#include "data/picture_stream.hpp"
#include "data/pixel_cache.hpp"
#include "error.hpp"
#include "files/sha256.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace opencd::data {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestDefault = 224;

std::size_t bytes_per_row(std::size_t size) { return size * size * 3; }

/// The median of the pictures' shorter sides, broken ones aside: most pictures then shrink.
std::size_t common_size(const PictureFiles& pictures, unsigned threads) {
  std::vector<std::size_t> shorter(pictures.size(), 0);
  parallel_for(pictures.size(), threads, [&](std::size_t i) {
    try {
      const PictureSize size = picture_size(read_file(pictures.files[i], kMaxPictureBytes), "");
      shorter[i] = std::min(size.width, size.height);
    } catch (const std::exception&) {
      // Named when it is decoded.
    }
  });
  std::erase(shorter, 0);
  if (shorter.empty()) return kLargestDefault;
  const auto middle = shorter.begin() + static_cast<std::ptrdiff_t>(shorter.size() / 2);
  std::nth_element(shorter.begin(), middle, shorter.end());
  return std::min(*middle, kLargestDefault);
}

/// Names the content of all pictures; none if one cannot be read.
std::optional<CacheKey> content_key(const PictureFiles& pictures, const FolderOptions& options) {
  std::vector<CacheKey> digests(pictures.size());
  std::atomic<bool> readable{true};
  parallel_for(pictures.size(), options.threads, [&](std::size_t i) {
    try {
      digests[i] = files::sha256_of_file(pictures.files[i]);
    } catch (const std::exception&) {
      readable = false;
    }
  });
  if (!readable) return std::nullopt;
  ContentHash hash;
  hash.add_text("opencd_sycl pixels 1");
  hash.add_number(options.size);
  for (const CacheKey& digest : digests) hash.add_text(digest);
  return hash.digits();
}

/// Decodes all pictures, handing each sound row to `keep` in order.
template <class Keep>
std::vector<BrokenPicture> decode_all(const PictureFiles& pictures,
                                      const FolderOptions& options,
                                      Keep keep) {
  std::vector<BrokenPicture> broken;
  PictureStream stream(pictures.files, {.size = options.size, .threads = options.threads});
  while (const PictureBlock* block = stream.next()) {
    for (std::size_t i = 0; i < block->size(); ++i) {
      if (block->errors[i].empty()) {
        keep(block->row(i));
      } else {
        broken.push_back({block->first + i, block->errors[i]});
      }
    }
    if (options.progress) options.progress(block->first + block->size(), pictures.size());
  }
  return broken;
}

void check_memory(std::size_t needed) {
  const auto pages = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const std::size_t memory = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (memory > 0 && needed > memory / 4 * 3)
    fail<FormatError>(
        "[folder] the decoded pictures take {} MiB of memory, of which there are {}; keep them on "
        "disk with --cache, or choose a smaller --image-size",
        needed >> 20, memory >> 20);
}

DecodedPictures decode_to_memory(const PictureFiles& pictures, const FolderOptions& options) {
  const std::size_t needed = pictures.size() * bytes_per_row(options.size);
  check_memory(needed);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(needed);
  DecodedPictures decoded;
  decoded.broken = decode_all(pictures, options, [&](std::span<const std::uint8_t> row) {
    pixels.insert(pixels.end(), row.begin(), row.end());
  });
  decoded.pixels = Bytes(std::move(pixels));
  return decoded;
}

DecodedPictures decode_through_cache(const PictureFiles& pictures, const FolderOptions& options) {
  const std::optional<CacheKey> key = content_key(pictures, options);
  if (!key) return decode_to_memory(pictures, options);
  const fs::path file = cache_file(options.cache_folder, *key);
  const std::size_t row_bytes = bytes_per_row(options.size);
  if (auto cached = open_pixel_cache(file, *key, row_bytes)) return std::move(*cached);
  std::error_code error;
  fs::create_directories(options.cache_folder, error);
  PixelCacheWriter writer(file, *key, row_bytes);
  writer.finish(decode_all(pictures, options,
                           [&](std::span<const std::uint8_t> row) { writer.add_row(row); }));
  if (auto cached = open_pixel_cache(file, *key, row_bytes)) return std::move(*cached);
  fail<FormatError>("[folder] {}: the cache cannot be read back", display_name(file));
}

/// The rows of one part, without the broken pictures, which are noted in the set.
ImageRows read_part(PictureFiles pictures, const FolderOptions& options, ImageSet& set) {
  ImageRows rows;
  if (pictures.size() == 0) return rows;
  DecodedPictures decoded = options.cache_folder.empty() ? decode_to_memory(pictures, options)
                                                         : decode_through_cache(pictures, options);
  rows.pixels = decoded.pixels;
  std::vector<bool> broken(pictures.size(), false);
  for (const BrokenPicture& picture : decoded.broken) {
    set.left_out.push_back(pictures.paths.at(picture.index) + ": " + picture.reason);
    broken[picture.index] = true;
  }
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    if (broken[i]) continue;
    rows.labels.push_back(pictures.labels[i]);
    rows.paths.push_back(std::move(pictures.paths[i]));
  }
  return rows;
}

void check_left_out(const ImageSet& set, bool strict) {
  if (strict && !set.left_out.empty())
    fail<FormatError>("[folder] {} broken pictures, the first is {}", set.left_out.size(),
                      set.left_out.front());
  if (set.train.size() == 0)
    fail<FormatError>("[folder] {}: no picture can be read; the first is {}", set.name,
                      set.left_out.front());
  const auto counts = rows_per_class(set.train.labels, set.class_names.size());
  for (std::size_t label = 0; label < counts.size(); ++label)
    if (counts[label] == 0)
      fail<FormatError>("[folder] {}: every picture of class {} is broken", set.name,
                        set.class_names[label]);
}

}  // namespace

ImageSet read_image_folder(const fs::path& root, const FolderOptions& options) {
  constexpr std::size_t kLargest = 4096;
  if (options.size > kLargest)
    fail<UsageError>("[folder] expected pictures of at most {} pixels a side, got {}", kLargest,
                     options.size);
  const bool listed = !options.class_list.empty();
  PictureFolder found = find_pictures(
      root, listed ? read_class_list(options.class_list) : std::vector<std::string>());
  FolderOptions chosen = options;
  if (chosen.size == 0) chosen.size = common_size(found.train, options.threads);
  ImageSet set;
  set.name =
      display_name(listed ? options.class_list.stem() : fs::weakly_canonical(root).filename());
  set.kind = "folder";
  set.shape = {chosen.size, chosen.size, 3};
  set.class_names = std::move(found.class_names);
  set.left_out = std::move(found.left_out);
  set.train = read_part(std::move(found.train), chosen, set);
  set.test = read_part(std::move(found.test), chosen, set);
  check_left_out(set, options.strict);
  return finish_image_set(std::move(set));
}

}  // namespace opencd::data
