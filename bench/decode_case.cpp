// Folders of pictures into bytes: read, decode, turn upright, resize, cut. On the host, on all cores
// that the process may use.
#include "bench/data.hpp"

#include "data/picture_files.hpp"
#include "data/picture_stream.hpp"
#include "error.hpp"

#include <fmt/format.h>

#include <memory>

namespace opencd::bench {

Case decode_case(const DecodeOptions& options) {
  data::PictureFolder folder = data::find_pictures(options.pictures);
  auto files = std::make_shared<std::vector<std::filesystem::path>>(std::move(folder.train.files));
  files->insert(files->end(), folder.test.files.begin(), folder.test.files.end());
  Case result;
  result.name = "decode";
  result.params = {{"pictures", files->size()}, {"size", options.size}};
  result.work = static_cast<double>(files->size());
  result.unit = "img";
  result.run = [files, size = options.size] { data::decode_and_count(*files, {.size = size}); };
  result.check = [files, size = options.size]() -> std::string {
    const std::size_t sound = data::decode_and_count(*files, {.size = size});
    return sound == files->size()
               ? ""
               : fmt::format("{} of {} pictures are sound", sound, files->size());
  };
  return result;
}

}  // namespace opencd::bench
