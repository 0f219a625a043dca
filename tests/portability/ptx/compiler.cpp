// Compiles a SYCL source with free-function kernels to PTX, on a machine without an NVIDIA GPU or an NVIDIA toolkit: with
// the compiler inside the SYCL runtime, which has that back end too.
//
//   ptx_compiler LIBSYCL_JIT SOURCE OUT.ptx [COMPILER OPTION...]
//
// The PTX is for sm_75; newer generations take it too. The runtime offers PTX only where it finds such a GPU, so its compiler
// is called directly. That entry point is no public interface: the types below mirror the version that requirements.txt
// names. The compiler looks for NVIDIA's device functions in a file that nobody installs, though it carries that file as a
// resource; `open` below hands it out.
//
// Exit: 0 done, 1 the source does not compile, 2 this library cannot be used.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view kDeviceFunctions =
    "/lib/clang/23/lib/nvptx64-nvidia-cuda/libspirv.l64.signed_char.bc";

/// Under which name `kDeviceFunctions` is opened once they have been found.
std::string device_functions;

[[noreturn]] void fail(int code, const std::string& message) {
  std::fprintf(stderr, "ptx_compiler: %s\n", message.c_str());
  std::_Exit(code);  // the library's threads and destructors are not waited for
}

// The library's types, as its binary interface lays them out.
template <class T>
struct Range {
  T* begin;
  std::size_t size;
};
struct SourceFile {
  const char* path;
  const char* text;
};
struct Text {
  char* chars;
};
struct DeviceBinary {
  std::uint32_t format;
  std::uint64_t address_bits;
  const char* begin;
  std::uint64_t size;
};
struct DeviceImage {
  DeviceBinary binary;
  Range<Text> symbols;
  Range<char> properties;
};
struct Compiled {
  int error;
  Range<DeviceImage> images;
  Text options;
  Range<char> intermediate;
  Text log;
  char room[256];  // for what may follow
  Compiled() {}
  Compiled(const Compiled&) {}
  ~Compiled() {}  // not trivial, so that it is returned through a pointer, as theirs is
};
enum class Format : std::uint32_t { ptx = 3 };
using Compile = Compiled (*)(SourceFile source,
                             Range<const SourceFile> headers,
                             Range<const char* const> options,
                             Range<const char> saved,
                             bool only_intermediate,
                             Format format);

/// An entry of the library's table of resources.
struct Resource {
  const char* path;
  std::uint64_t path_size;
  const char* content;
  std::uint64_t size;
};

/// A loaded library's segments: where its text and tables are in memory.
struct Segments {
  std::uintptr_t base;
  std::vector<std::string_view> parts;
};

Segments segments_of(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) fail(2, dlerror());
  Segments found{map->l_addr, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        auto& segments = *static_cast<Segments*>(out);
        if (object->dlpi_addr != segments.base) return 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          const auto* begin = reinterpret_cast<const char*>(segments.base + header.p_vaddr);
          if (header.p_type == PT_LOAD) segments.parts.emplace_back(begin, header.p_filesz);
        }
        return 1;
      },
      &found);
  return found;
}

/// The resource whose path ends so: the entry of the table that points to this very string.
std::optional<Resource> find_resource(const Segments& segments, std::string_view path) {
  for (const std::string_view text : segments.parts) {
    for (std::size_t at = text.find(path); at != text.npos; at = text.find(path, at + 1)) {
      const char* end = text.data() + at + path.size();
      for (const std::string_view table : segments.parts) {
        for (std::size_t i = 0; i + sizeof(Resource) <= table.size(); i += alignof(Resource)) {
          Resource entry{};
          std::memcpy(&entry, table.data() + i, sizeof entry);
          if (entry.path > text.data() && entry.path < end && entry.path + entry.path_size == end)
            return entry;
        }
      }
    }
  }
  return std::nullopt;
}

/// A file in memory with these bytes; its name.
std::string memory_file(const char* begin, std::size_t size) {
  const int file = memfd_create("device functions", MFD_CLOEXEC);
  if (file < 0) fail(2, "cannot make a file in memory");
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = write(file, begin + done, size - done);
    if (written <= 0) fail(2, "cannot write a file in memory");
    done += static_cast<std::size_t>(written);
  }
  return "/proc/self/fd/" + std::to_string(file);
}

std::string read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(2, std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

// The library's calls come here, because the program's own functions are found first.
static int open_redirected(const char* path, int flags, va_list more) {
  const int mode = va_arg(more, int);
  if (!device_functions.empty() && path == kDeviceFunctions) path = device_functions.c_str();
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

extern "C" int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int file = open_redirected(path, flags, more);
  va_end(more);
  return file;
}

extern "C" int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int file = open_redirected(path, flags, more);
  va_end(more);
  return file;
}

int main(int argc, char** argv) {
  if (argc < 4) fail(2, "usage: ptx_compiler LIBSYCL_JIT SOURCE OUT.ptx [COMPILER OPTION...]");
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) fail(2, dlerror());
  const auto compile = reinterpret_cast<Compile>(dlsym(library, "compileSYCL"));
  if (!compile) fail(2, std::string(argv[1]) + " has no entry point compileSYCL");
  const auto functions = find_resource(segments_of(library), kDeviceFunctions);
  if (!functions) fail(2, std::string(argv[1]) + " carries no device functions for NVIDIA GPUs");
  device_functions = memory_file(functions->content, functions->size);

  const std::string text = read_file(argv[2]);
  const std::vector<const char*> options(argv + 4, argv + argc);
  const Compiled result =
      compile({argv[2], text.c_str()}, {nullptr, 0}, {options.data(), options.size()}, {nullptr, 0},
              false, Format::ptx);
  if (result.error != 0) fail(1, result.log.chars ? result.log.chars : "no word why it failed");
  if (result.images.size != 1) fail(2, "expected one image of PTX");
  std::ofstream out(argv[3], std::ios::binary);
  const DeviceBinary& ptx = result.images.begin->binary;
  out.write(ptx.begin, static_cast<std::streamsize>(ptx.size));
  out.close();
  if (!out) fail(2, std::string("cannot write ") + argv[3]);
  std::_Exit(0);
}
