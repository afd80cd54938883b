# Flags that every target shares. No -ffast-math: only errno and trap bookkeeping is dropped, which
# lets the compiler vectorise sqrt and comparisons and changes no result.
option(PHASOR_WERROR "Treat warnings as errors" OFF)
add_library(phasor_flags INTERFACE)
target_compile_features(phasor_flags INTERFACE cxx_std_20)
target_include_directories(phasor_flags INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# For what is built here; whoever links an installed library has options of their own.
set(phasor_options
  -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Wnon-virtual-dtor -Wno-psabi -Wno-missing-field-initializers
  -fno-math-errno -fno-trapping-math)
if(PHASOR_WERROR)
  list(APPEND phasor_options -Werror)
endif()
# Newer compilers warn of what cannot happen inside optional, vector and JSON; g++ 12 keeps watch over these.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  list(APPEND phasor_options
    -Wno-maybe-uninitialized -Wno-dangling-reference -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(PHASOR_SANITIZE)
  list(APPEND phasor_options
    -fsanitize=${PHASOR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
  target_link_options(phasor_flags INTERFACE -fsanitize=${PHASOR_SANITIZE})
endif()
foreach(option IN LISTS phasor_options)
  target_compile_options(phasor_flags INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${option}>>)
endforeach()

# The instructions that a target may use. phasor_arch(<target> <value of -march>), which may be empty.
function(phasor_arch target arch)
  if(arch)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=${arch}>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-mprefer-vector-width=512>)
  endif()
endfunction()
