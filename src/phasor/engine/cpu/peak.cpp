#include "phasor/engine/peak.h"

#include <chrono>
#include <vector>

#include "phasor/engine/cpu/gemm.h"

namespace phasor {
namespace {

constexpr int64_t kSize = 2048;
constexpr int kRepeats = 5;

}  // namespace

Peak measure_peak() {
  using Clock = std::chrono::steady_clock;
  const std::vector<float> a(kSize * kSize, 0.5f), b(kSize * kSize, 0.25f);
  std::vector<float> c(kSize * kSize);
  Peak peak;
  for (const std::unique_ptr<Gemm>& gemm : available_gemms()) {
    const Product product{.m = kSize,
                          .n = kSize,
                          .k = kSize,
                          .a = a.data(),
                          .a_stride = kSize,
                          .b = b.data(),
                          .b_stride = kSize,
                          .c = c.data(),
                          .c_stride = kSize};
    gemm->multiply_on_all_threads(product);  // warm-up
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      const Clock::time_point start = Clock::now();
      gemm->multiply_on_all_threads(product);
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      const double gflops = 2.0 * kSize * kSize * kSize / seconds * 1e-9;
      if (gflops > peak.gflops) peak = {gflops, gemm->name()};
    }
  }
  return peak;
}

}  // namespace phasor
