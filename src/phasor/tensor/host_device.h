#pragma once
// Marks functions that CUDA kernels call too.
#ifdef __CUDACC__
#define PHASOR_HOST_DEVICE __host__ __device__
#else
#define PHASOR_HOST_DEVICE
#endif
