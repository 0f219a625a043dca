# The warnings that all our targets compile with, and the hardening of the program. Link
# opencd_warnings PRIVATE; tools of the build, which sanitizers would only disturb, link
# opencd_warnings_only.
option(OPENCD_WERROR "Treat warnings as errors" OFF)
set(OPENCD_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them: address,undefined or thread")

add_library(opencd_warnings_only INTERFACE)
target_compile_options(opencd_warnings_only INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
  -Woverloaded-virtual -Wimplicit-fallthrough
  -Wno-deprecated-declarations        # oneAPI's own headers use what they deprecate
  -Wno-missing-field-initializers     # designated initialisers name only what differs
  -Wno-subobject-linkage              # sources that are compiled together look like headers to GCC
  -Wno-restrict                       # GCC 12 reports std::string operator+ wrongly
  $<$<BOOL:${OPENCD_WERROR}>:-Werror>)

add_library(opencd_warnings INTERFACE)
target_link_libraries(opencd_warnings INTERFACE opencd_warnings_only)
target_compile_options(opencd_warnings INTERFACE -fstack-protector-strong
  $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2>)
target_link_options(opencd_warnings INTERFACE -Wl,-z,relro,-z,now)
if(OPENCD_SANITIZE)
  target_compile_options(opencd_warnings INTERFACE -fsanitize=${OPENCD_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(opencd_warnings INTERFACE -fsanitize=${OPENCD_SANITIZE})
endif()
