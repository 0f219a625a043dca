# Finds the SYCL runtime, oneDNN and oneMKL once, and offers them as the targets oneapi::sycl, oneapi::dnnl and oneapi::mkl.
#
#   OPENCD_ONEAPI_ROOT    where they are: the environment that scripts/setup makes (the default), or a oneAPI toolkit
#                         (/opt/intel/oneapi), or the prefix of an open DPC++ release with oneDNN built beside it
#   OPENCD_SYCL_TARGETS   empty: host compiler of any make, kernels embedded as SPIR-V;
#                         else the -fsycl-targets of a DPC++ compiler, which then compiles host and device code together
set(OPENCD_SYCL_TARGETS "" CACHE STRING "Targets of a DPC++ compiler, e.g. nvptx64-nvidia-cuda; empty: embedded SPIR-V")

# opencd_wheels(RESULT NAME REQUIREMENTS): the virtual environment that `scripts/setup --wheels NAME REQUIREMENTS` makes.
function(opencd_wheels result name requirements)
  file(SHA256 ${PROJECT_SOURCE_DIR}/${requirements} key)
  string(SUBSTRING ${key} 0 12 key)
  if(DEFINED ENV{XDG_CACHE_HOME})
    set(cache $ENV{XDG_CACHE_HOME})
  else()
    set(cache $ENV{HOME}/.cache)
  endif()
  set(${result} ${cache}/opencd_sycl/${name}-${key} PARENT_SCOPE)
endfunction()

set(OPENCD_ONEAPI_ROOT "" CACHE PATH "Prefix of the oneAPI libraries; empty: what scripts/setup installed")
if(OPENCD_ONEAPI_ROOT)
  set(root ${OPENCD_ONEAPI_ROOT})
else()
  opencd_wheels(root oneapi requirements.txt)
endif()

# A toolkit keeps every component in a folder of its own; the wheels and a plain prefix share one.
set(prefixes ${root} ${root}/compiler/latest ${root}/dnnl/latest ${root}/mkl/latest ${root}/tbb/latest)

function(opencd_find_library result)
  find_library(OPENCD_${result} NAMES ${ARGN} HINTS ${prefixes} PATH_SUFFIXES lib NO_DEFAULT_PATH)
  if(NOT OPENCD_${result})
    list(GET ARGN 0 name)
    message(FATAL_ERROR "No ${name} under ${root}. Run scripts/setup, or set OPENCD_ONEAPI_ROOT to a oneAPI prefix.")
  endif()
  set(${result} ${OPENCD_${result}} PARENT_SCOPE)
  mark_as_advanced(OPENCD_${result})
endfunction()

function(opencd_find_header result)
  find_path(OPENCD_${result} NAMES ${ARGN} HINTS ${prefixes} PATH_SUFFIXES include NO_DEFAULT_PATH)
  if(NOT OPENCD_${result})
    message(FATAL_ERROR "No ${ARGN} under ${root}. Run scripts/setup, or set OPENCD_ONEAPI_ROOT to a oneAPI prefix.")
  endif()
  set(${result} ${OPENCD_${result}} PARENT_SCOPE)
  mark_as_advanced(OPENCD_${result})
endfunction()

opencd_find_header(SYCL_INCLUDE sycl/sycl.hpp)
opencd_find_library(SYCL_LIBRARY libsycl.so)
get_filename_component(OPENCD_SYCL_LIBRARY_DIR ${SYCL_LIBRARY} DIRECTORY)

# The inherited RPATH (not RUNPATH) lets oneDNN and oneMKL find TBB beside them.
add_library(oneapi::sycl INTERFACE IMPORTED GLOBAL)
target_link_libraries(oneapi::sycl INTERFACE ${SYCL_LIBRARY})
target_link_options(oneapi::sycl INTERFACE -Wl,-rpath,${OPENCD_SYCL_LIBRARY_DIR},--disable-new-dtags)
target_compile_definitions(oneapi::sycl INTERFACE SYCL_DISABLE_FSYCL_SYCLHPP_WARNING)
if(OPENCD_SYCL_TARGETS)
  target_compile_definitions(oneapi::sycl INTERFACE OPENCD_SYCL_COMPILER)
  target_compile_options(oneapi::sycl INTERFACE -fsycl -fsycl-targets=${OPENCD_SYCL_TARGETS})
  target_link_options(oneapi::sycl INTERFACE -fsycl -fsycl-targets=${OPENCD_SYCL_TARGETS})
else()
  target_include_directories(oneapi::sycl SYSTEM INTERFACE ${SYCL_INCLUDE})
endif()

# The CPU driver that comes with the wheels; a toolkit registers its own with the system.
find_file(OPENCD_OPENCL_DRIVER libintelocl.so HINTS ${prefixes} PATH_SUFFIXES lib NO_DEFAULT_PATH)
mark_as_advanced(OPENCD_OPENCL_DRIVER)
if(NOT OPENCD_OPENCL_DRIVER)
  set(OPENCD_OPENCL_DRIVER "")
endif()

opencd_find_header(DNNL_INCLUDE dnnl.hpp)
opencd_find_library(DNNL_LIBRARY libdnnl.so)
add_library(oneapi::dnnl INTERFACE IMPORTED GLOBAL)
target_include_directories(oneapi::dnnl SYSTEM INTERFACE ${DNNL_INCLUDE})
target_link_libraries(oneapi::dnnl INTERFACE ${DNNL_LIBRARY} oneapi::sycl)

# oneMKL's binaries serve CPUs and Intel GPUs; without them every GEMM goes through oneDNN.
option(OPENCD_ONEMKL "Use oneMKL for GEMM on the devices it serves" ON)
add_library(oneapi::mkl INTERFACE IMPORTED GLOBAL)
if(OPENCD_ONEMKL)
  opencd_find_header(MKL_INCLUDE oneapi/mkl/blas.hpp)
  opencd_find_library(MKL_SYCL libmkl_sycl_blas.so libmkl_sycl_blas.so.6)
  opencd_find_library(MKL_ILP64 libmkl_intel_ilp64.so libmkl_intel_ilp64.so.3)
  opencd_find_library(MKL_TBB libmkl_tbb_thread.so libmkl_tbb_thread.so.3)
  opencd_find_library(MKL_CORE libmkl_core.so libmkl_core.so.3)
  target_include_directories(oneapi::mkl SYSTEM INTERFACE ${MKL_INCLUDE})
  target_compile_definitions(oneapi::mkl INTERFACE MKL_ILP64 OPENCD_ONEMKL)
  target_link_libraries(oneapi::mkl INTERFACE ${MKL_SYCL} ${MKL_ILP64} ${MKL_TBB} ${MKL_CORE} oneapi::sycl)
endif()
