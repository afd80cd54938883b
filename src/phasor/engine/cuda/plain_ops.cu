// Fill, Clamp and Cast.
#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/elements.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 256;

__global__ void fill(Fill op) {
  for (int64_t i = grid_first(); i < op.x.size(); i += grid_step()) op.x.data()[i] = op.value;
}

__global__ void clamp(Clamp op) {
  float* x = op.x.data();
  for (int64_t i = grid_first(); i < op.x.size(); i += grid_step()) {
    const float raised = x[i] < op.least ? op.least : x[i];  // NaN stays NaN
    x[i] = raised > op.most ? op.most : raised;
  }
}

template <class To, class From>
__global__ void cast(Cast op) {
  const int64_t columns = op.from.columns();
  for (int64_t i = grid_first(); i < op.from.rows() * columns; i += grid_step()) {
    const int64_t r = i / columns, c = i % columns;
    write(op.to.row<To>(r)[c], to_float(op.from.row<From>(r)[c]));
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const Fill& op) {
  if (op.x.size() == 0) return;
  cuda::fill<<<cuda::grid_of(op.x.size(), cuda::kThreads), cuda::kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const Clamp& op) {
  if (op.x.size() == 0) return;
  cuda::clamp<<<cuda::grid_of(op.x.size(), cuda::kThreads), cuda::kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
}

void CudaBackend::run(const Cast& op) {
  const int64_t count = op.from.rows() * op.from.columns();
  if (count == 0) return;
  cuda::with_element(op.to.dtype(), [&]<class To>(To*) {
    cuda::with_element(op.from.dtype(), [&]<class From>(From*) {
      cuda::cast<To, From><<<cuda::grid_of(count, cuda::kThreads), cuda::kThreads, 0, context().stream>>>(op);
    });
  });
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
