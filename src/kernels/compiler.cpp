// The kernel compiler of the build: compiles the device translation unit to one SYCLBIN in the
// object state, that is to portable SPIR-V, with the compiler inside the SYCL runtime. Errors carry
// our file names and lines.
//
//   opencd_kernel_compiler SOURCE OUT.syclbin [COMPILER OPTION...]
#include <sycl/sycl.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace syclex = sycl::ext::oneapi::experimental;

sycl::device compiling_device() {
  std::vector<sycl::device> devices = sycl::device::get_devices();
  for (sycl::device& device : devices)
    if (device.ext_oneapi_can_compile(syclex::source_language::sycl)) return device;
  throw std::runtime_error(
      "no SYCL device that can compile kernels from source; is intel-opencl-rt installed?");
}

std::vector<char> compile(const std::string& source, const std::vector<std::string>& options) {
  const sycl::device device = compiling_device();
  const sycl::context context(device);
  auto text =
      syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, source);
  std::string log;
  const auto object = syclex::compile(
      text, {device}, syclex::properties{syclex::build_options{options}, syclex::save_log{&log}});
  if (!log.empty()) std::fprintf(stderr, "%s\n", log.c_str());
  return object.ext_oneapi_get_content();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: opencd_kernel_compiler SOURCE OUT.syclbin [COMPILER OPTION...]\n");
    return 2;
  }
  // The driver of the wheels is no system driver; the OpenCL loader must be told where it is.
  setenv("OCL_ICD_FILENAMES", OPENCD_OPENCL_DRIVER, 0);
  try {
    const std::string source = argv[1];
    const std::string target = argv[2];
    const std::vector<char> bytes =
        compile("#include \"" + source + "\"\n", std::vector<std::string>(argv + 3, argv + argc));
    const std::string partial = target + ".partial";
    std::ofstream out(partial, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) throw std::runtime_error("cannot write " + partial);
    std::filesystem::rename(partial, target);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
