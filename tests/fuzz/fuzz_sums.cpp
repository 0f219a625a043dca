// SHA256SUMS of a checkpoint. What is accepted names every file with its right sum.
#include "files/checkpoint.hpp"
#include "fuzz_folder.hpp"

using namespace opencd;

namespace {

/// A checkpoint whose files hold their own names; the sums that it should have.
std::string make_checkpoint(const std::filesystem::path& folder) {
  for (const std::string_view name : files::kCheckpointFiles) fuzz::put(folder / name, name);
  return files::checkpoint_sums(folder);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::string right = make_checkpoint(fuzz::work_folder());
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  fuzz::put(fuzz::work_folder() / files::kSumsFile, text);
  return fuzz::try_to([&] {
    files::verify_checkpoint(fuzz::work_folder());
    for (std::size_t begin = 0; begin < right.size();) {
      const std::size_t end = right.find('\n', begin) + 1;
      if (text.find(std::string_view(right).substr(begin, end - begin)) == text.npos)
        __builtin_trap();
      begin = end;
    }
  });
}
