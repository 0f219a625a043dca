// libFuzzer target: any bytes as a safetensors file. They are refused with a FormatError, or they
// are tensors that fill the data exactly and whose header survives writing and reading.
#include "error.hpp"
#include "files/safetensors.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {
using namespace opencd::files;

/// A file in memory, which the reader opens by this name.
std::string memory_file(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  const bool written =
      ::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  if (!written) std::abort();
  return fmt::format("/proc/self/fd/{}", file);
}

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const SafetensorsFile& file) {
  std::uint64_t bytes = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    require(tensor.begin == bytes);
    bytes += file.read_bytes(tensor.name).size();
    if (tensor.type == ElementType::f16 || tensor.type == ElementType::bf16)
      require(file.read_f32(tensor.name).size() == tensor.elements());
  }
  const std::string written = format_header(file.tensors(), file.metadata());
  const SafetensorsHeader again = parse_header(std::string_view(written).substr(8), bytes, "again");
  require(again.metadata == file.metadata() && again.tensors.size() == file.tensors().size());
  require(format_header(again.tensors, again.metadata) == written);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(SafetensorsFile(memory_file(data, size)));
  } catch (const opencd::FormatError&) {
  }
  return 0;
}
