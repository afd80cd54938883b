#include <algorithm>
#include <cmath>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"

namespace phasor {
namespace {

constexpr int64_t kGrain = 1 << 14;

}  // namespace

void CpuBackend::run(const GradientNorm& op) {
  const int64_t count = op.gradient.size();
  std::vector<double> partial(static_cast<size_t>(chunk_count(count, kGrain)));
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    double sum = 0.0;
    const float* g = op.gradient.data();
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; ++i) sum += static_cast<double>(g[i]) * static_cast<double>(g[i]);
    partial[static_cast<size_t>(begin / kGrain)] = sum;
  });
  double total = 0.0;
  for (const double sum : partial) total += sum;
  op.norm(op.slot == nullptr ? 0 : *op.slot % op.norm.size()) = static_cast<float>(std::sqrt(total));
}

void CpuBackend::run(const AdamW& op) {
  const float rate = *op.learning_rate;
  const double step = *op.step;
  const auto correction1 = static_cast<float>(1.0 - std::pow(static_cast<double>(op.beta1), step));
  const auto correction2 = static_cast<float>(std::sqrt(1.0 - std::pow(static_cast<double>(op.beta2), step)));
  const float step_size = rate / correction1;
  const float decay = 1.0f - rate * op.weight_decay;
  float scale = 1.0f;
  if (op.max_norm > 0.0f) {
    const float norm = op.gradient_norm(*op.step % op.gradient_norm.size());
    if (norm > op.max_norm) scale = op.max_norm / norm;
  }

  parallel_for(op.parameter.size(), kGrain, [&](int64_t begin, int64_t end) {
    float* p = op.parameter.data();
    float* m = op.first_moment.data();
    float* v = op.second_moment.data();
    const float* gradient = op.gradient.data();
    const float beta1 = op.beta1;
    const float beta2 = op.beta2;
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const float g = gradient[i] * scale;
      m[i] = beta1 * m[i] + (1.0f - beta1) * g;
      v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
      const float denominator = std::sqrt(v[i]) / correction2 + op.epsilon;
      p[i] = p[i] * decay - step_size * (m[i] / denominator);
    }
  });
}

}  // namespace phasor
