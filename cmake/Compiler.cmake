# Flags that every target shares. No -ffast-math: only errno and trap bookkeeping is dropped, which
# lets the compiler vectorise sqrt and comparisons and changes no result.
option(PHASOR_WERROR "Treat warnings as errors" OFF)
add_library(phasor_flags INTERFACE)
target_include_directories(phasor_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(phasor_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Wnon-virtual-dtor -Wno-psabi -Wno-missing-field-initializers
  -fno-math-errno -fno-trapping-math $<$<BOOL:${PHASOR_WERROR}>:-Werror>)
# Newer compilers warn of what cannot happen inside optional, vector and JSON; g++ 12 keeps watch over these.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(phasor_flags INTERFACE
    -Wno-maybe-uninitialized -Wno-dangling-reference -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(PHASOR_SANITIZE)
  target_compile_options(phasor_flags INTERFACE
    -fsanitize=${PHASOR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  target_link_options(phasor_flags INTERFACE -fsanitize=${PHASOR_SANITIZE})
endif()

# The instructions that a target may use. phasor_arch(<target> <value of -march>), which may be empty.
function(phasor_arch target arch)
  if(arch)
    target_compile_options(${target} PRIVATE -march=${arch})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE -mprefer-vector-width=512)
  endif()
endfunction()
