# What the library and the phasor command are built with. All that is missing is named at once, by Debian's package.
set(phasor_missing)
macro(phasor_need package debian_package)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND phasor_missing ${debian_package})
  endif()
endmacro()
phasor_need(OpenMP g++)
phasor_need(fmt libfmt-dev)
phasor_need(nlohmann_json nlohmann-json3-dev)
phasor_need(CLI11 libcli11-dev)

# Matrix products: oneDNN 2 or 3 where found (the only one with bf16), OpenBLAS as second choice, as cross-check in
# tests, and for the spectra.
# (Debian's CMake package of oneDNN also demands OpenCL's headers, which nothing here needs.)
find_library(PHASOR_ONEDNN_LIBRARY dnnl)
find_path(PHASOR_ONEDNN_INCLUDE dnnl.hpp)
option(PHASOR_ONEDNN "Use oneDNN where it is found" ON)
if(PHASOR_ONEDNN AND PHASOR_ONEDNN_LIBRARY AND PHASOR_ONEDNN_INCLUDE)
  set(PHASOR_HAVE_ONEDNN TRUE)
endif()
find_library(PHASOR_OPENBLAS_LIBRARY openblas)
find_path(PHASOR_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas ${CMAKE_LIBRARY_ARCHITECTURE})
# Spectra are LAPACK's, which is part of OpenBLAS.
if(NOT (PHASOR_OPENBLAS_LIBRARY AND PHASOR_OPENBLAS_INCLUDE))
  list(APPEND phasor_missing libopenblas-openmp-dev)
endif()

# Reports are smaller with it, and work without.
find_package(ZLIB QUIET)

if(phasor_missing)
  list(JOIN phasor_missing " " phasor_missing)
  message(FATAL_ERROR "Not found: ${phasor_missing}. "
    "scripts/install_dependencies.sh build installs what is missing on Debian and Ubuntu.")
endif()
