# The CUDA compiler and run-time library, for the backend in src/phasor/engine/cuda.
#
# By default there is code for Hopper (H100, H200) and PTX from which the driver compiles for any GPU since Ampere (A100, RTX
# 30); CMAKE_CUDA_ARCHITECTURES chooses otherwise.
if(NOT CMAKE_CUDA_COMPILER)
  find_program(CMAKE_CUDA_COMPILER nvcc HINTS ENV CUDA_PATH ENV CUDACXX PATHS /usr/local/cuda/bin)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "nvcc was not found: PHASOR_CUDA needs the CUDA toolkit (12.4 or newer). The release preset builds without")
  endif()
endif()
set(CMAKE_CUDA_ARCHITECTURES "90-real;80-virtual" CACHE STRING "GPUs that kernels are compiled for")
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
# CMake 3.25 does not know how to ask nvcc for C++20.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
# Functions of the standard library that are constexpr run on the device too; lambdas may be kernels' arguments.
string(APPEND CMAKE_CUDA_FLAGS " --expt-relaxed-constexpr --extended-lambda -Xcompiler=-Wall")
