# Compiles the kernels at build time and embeds them.
#
#   opencd_embed_kernels(TARGET HEADER...)
#
# runs the kernel compiler on every file of src/kernels/bundles (again when it or a HEADER changes) and adds
# the resulting SYCLBIN files to TARGET as read-only data. A build by a DPC++ compiler has its kernels in the
# object files already and embeds nothing.
function(opencd_embed_kernels target)
  if(OPENCD_SYCL_TARGETS)
    return()
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/src/kernels)
  add_executable(opencd_kernel_compiler ${folder}/compiler.cpp)
  target_link_libraries(opencd_kernel_compiler PRIVATE oneapi::sycl opencd_warnings_only)
  target_compile_definitions(opencd_kernel_compiler PRIVATE OPENCD_OPENCL_DRIVER="${OPENCD_OPENCL_DRIVER}")

  foreach(name core augment discovery losses winograd)
    set(bundle ${PROJECT_BINARY_DIR}/kernels-${name}.syclbin)
    set(source ${folder}/bundles/${name}.cpp)
    add_custom_command(
      OUTPUT ${bundle}
      COMMAND opencd_kernel_compiler ${source} ${bundle}
              -I${PROJECT_SOURCE_DIR}/src -DOPENCD_DEVICE_PASS -std=c++20 -Wall -Wextra -Werror
      DEPENDS opencd_kernel_compiler ${source} ${ARGN}
      COMMENT "Compiling the ${name} kernels"
      VERBATIM)
    list(APPEND bundles ${bundle})
    string(TOUPPER ${name} upper)
    list(APPEND definitions "OPENCD_${upper}_BUNDLE=\"${bundle}\"")
  endforeach()
  set_source_files_properties(${folder}/embedded_bundles.S PROPERTIES
    OBJECT_DEPENDS "${bundles}" COMPILE_DEFINITIONS "${definitions}")
  target_sources(${target} PRIVATE ${folder}/embedded_bundles.S)
endfunction()
