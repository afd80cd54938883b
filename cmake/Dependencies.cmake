find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

# Matrix products: oneDNN where found (the only one with bf16), OpenBLAS as second choice, as cross-check in
# tests, and for the spectra.
# (Debian's CMake package of oneDNN also demands OpenCL's headers, which nothing here needs.)
find_library(PHASOR_ONEDNN_LIBRARY dnnl)
find_path(PHASOR_ONEDNN_INCLUDE dnnl.hpp)
option(PHASOR_ONEDNN "Use oneDNN where it is found" ON)
if(PHASOR_ONEDNN AND PHASOR_ONEDNN_LIBRARY AND PHASOR_ONEDNN_INCLUDE)
  set(PHASOR_HAVE_ONEDNN TRUE)
endif()
find_library(PHASOR_OPENBLAS_LIBRARY openblas)
find_path(PHASOR_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas x86_64-linux-gnu)
# Spectra are LAPACK's, which is part of OpenBLAS.
if(NOT (PHASOR_OPENBLAS_LIBRARY AND PHASOR_OPENBLAS_INCLUDE))
  message(FATAL_ERROR "OpenBLAS (with its LAPACK) was not found: install libopenblas-openmp-dev")
endif()

# Reports are smaller with it, and work without.
find_package(ZLIB)
