# Flags that every target shares. No -ffast-math: only errno and trap bookkeeping is dropped, which
# lets the compiler vectorise sqrt and comparisons and changes no result.
add_library(phasor_flags INTERFACE)
target_include_directories(phasor_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(phasor_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Wnon-virtual-dtor -Wno-psabi -Wno-missing-field-initializers
  -march=${PHASOR_ARCH} -fno-math-errno -fno-trapping-math)
option(PHASOR_WERROR "Treat warnings as errors" OFF)
if(PHASOR_WERROR)
  target_compile_options(phasor_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(phasor_flags INTERFACE -mprefer-vector-width=512)
endif()
if(PHASOR_SANITIZE)
  target_compile_options(phasor_flags INTERFACE
    -fsanitize=${PHASOR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  target_link_options(phasor_flags INTERFACE -fsanitize=${PHASOR_SANITIZE})
endif()
