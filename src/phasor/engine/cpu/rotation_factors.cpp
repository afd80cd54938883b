#include <algorithm>

#include "phasor/base/parallel.h"
#include "phasor/base/phase.h"
#include "phasor/engine/cpu/cpu_backend.h"

namespace phasor {
namespace {

constexpr int64_t kFactorGrain = 512;  // a sine and a cosine in double each

}  // namespace

void CpuBackend::run(const RotationFactors& op) {
  const int64_t positions = op.factors.extent(1);
  const int64_t pairs = op.factors.extent(2);
  const double magnitude{op.magnitude};
  const int64_t grain = std::max<int64_t>(1, kFactorGrain / std::max<int64_t>(1, pairs));
  parallel_for(op.factors.extent(0) * positions, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / positions;
      const int64_t position = i % positions;
      for (int64_t c = 0; c < pairs; ++c) {
        const std::complex<double> factor = magnitude * phase(position, double{op.frequency(row, c)});
        float* to = op.factors.row(row, position, c);
        to[0] = static_cast<float>(factor.real());
        to[1] = static_cast<float>(factor.imag());
      }
    }
  });
}

}  // namespace phasor
