#include <complex>
#include <vector>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"

namespace phasor {
namespace {

constexpr int64_t kPhaseGrain = 64;  // positions

}  // namespace

void CpuBackend::run(const PhaseFactors& op) {
  const int64_t positions = op.factors.extent(1);
  const int64_t pairs = op.factors.extent(2);
  for (int64_t row = 0; row < op.factors.extent(0); ++row) {
    std::vector<std::complex<double>> turns;
    for (int64_t c = 0; c < pairs; ++c) turns.push_back(std::polar(1.0, double{op.phase(row, c)}));
    parallel_for(positions, kPhaseGrain, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const float* from = op.base.row(row, p, 0);
        float* to = op.factors.row(row, p, 0);
        for (int64_t c = 0; c < pairs; ++c) {
          const std::complex<double> factor =
              std::complex<double>(from[2 * c], from[2 * c + 1]) * turns[static_cast<size_t>(c)];
          to[2 * c] = static_cast<float>(factor.real());
          to[2 * c + 1] = static_cast<float>(factor.imag());
        }
      }
    });
  }
}

}  // namespace phasor
