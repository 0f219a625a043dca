# Compiles the device translation unit at build time and embeds it.
#
#   opencd_embed_kernels(TARGET SOURCE HEADER...)
#
# runs the kernel compiler on SOURCE (again when SOURCE or a HEADER changes) and adds the resulting SYCLBIN to TARGET as
# read-only data. A build by a DPC++ compiler has its kernels in the object files already and embeds nothing.
function(opencd_embed_kernels target source)
  if(OPENCD_SYCL_TARGETS)
    return()
  endif()
  add_executable(opencd_kernel_compiler ${PROJECT_SOURCE_DIR}/src/kernels/compiler.cpp)
  target_link_libraries(opencd_kernel_compiler PRIVATE oneapi::sycl opencd_warnings_only)
  target_compile_definitions(opencd_kernel_compiler PRIVATE OPENCD_OPENCL_DRIVER="${OPENCD_OPENCL_DRIVER}")

  set(bundle ${PROJECT_BINARY_DIR}/kernels.syclbin)
  add_custom_command(
    OUTPUT ${bundle}
    COMMAND opencd_kernel_compiler ${source} ${bundle}
            -I${PROJECT_SOURCE_DIR}/src -DOPENCD_DEVICE_PASS -std=c++20 -Wall -Wextra -Werror
    DEPENDS opencd_kernel_compiler ${source} ${ARGN}
    COMMENT "Compiling the kernels"
    VERBATIM)
  set(embed ${PROJECT_SOURCE_DIR}/src/kernels/embedded_bundle.S)
  set_source_files_properties(${embed} PROPERTIES
    OBJECT_DEPENDS ${bundle} COMPILE_DEFINITIONS "OPENCD_KERNEL_BUNDLE=\"${bundle}\"")
  target_sources(${target} PRIVATE ${embed})
endfunction()
