#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/elements.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 256;

// The arithmetic of base/phase.h: what the product position * frequency loses to rounding is put back.
__global__ void rotation_factors(RotationFactors op) {
  const int64_t positions = op.factors.extent(1), pairs = op.factors.extent(2);
  const double magnitude{op.magnitude};
  for (int64_t i = grid_first(); i < op.factors.extent(0) * positions * pairs; i += grid_step()) {
    const int64_t c = i % pairs, position = i / pairs % positions, row = i / pairs / positions;
    const double frequency{op.frequency(row, c)};
    const auto p = static_cast<double>(position);
    const double angle = __dmul_rn(p, frequency);
    const double lost = fma(p, frequency, -angle);
    double sine, cosine;
    sincos(angle, &sine, &cosine);
    float* to = op.factors.row(row, position, c);
    to[0] = static_cast<float>(magnitude * (cosine - lost * sine));
    to[1] = static_cast<float>(magnitude * (sine + lost * cosine));
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const RotationFactors& op) {
  const int64_t count = op.factors.size() / 2;
  if (count == 0) return;
  cuda::rotation_factors<<<cuda::grid_of(count, cuda::kThreads), cuda::kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
