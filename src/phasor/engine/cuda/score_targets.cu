#include "phasor/engine/cuda/block_sum.h"
#include "phasor/engine/cuda/cuda_backend.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 512;

// One block: a few thousand numbers, read once. Counts are exact in double.
__global__ void score_targets(ScoreTargets op) {
  double found[kScoreSums] = {};
  for (int64_t s = threadIdx.x; s < *op.sequences.count; s += kThreads) {
    const int64_t first = op.every_token ? op.sequences.offsets(s) : s;
    const int64_t end = op.every_token ? op.sequences.offsets(s + 1) : s + 1;
    int64_t counted = 0, right = 0;
    for (int64_t t = first; t < end; ++t) {
      if (op.target(t) == op.not_scored) continue;
      found[0] += static_cast<double>(op.loss(t));
      right += op.prediction(t) == op.target(t) ? 1 : 0;
      ++counted;
    }
    found[1] += static_cast<double>(right);
    found[2] += static_cast<double>(counted);
    found[3] += counted > 0 && right == counted ? 1.0 : 0.0;
    found[4] += counted > 0 ? 1.0 : 0.0;
  }
  double* sums = &op.sums(op.slot == nullptr ? 0 : *op.slot % op.sums.extent(0), 0);
  for (int i = 0; i < kScoreSums; ++i) {
    const double sum = block_sum<kThreads>(found[i]);
    if (threadIdx.x == 0) sums[i] = op.added ? sums[i] + sum : sum;
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const ScoreTargets& op) {
  cuda::score_targets<<<1, cuda::kThreads, 0, context().stream>>>(op);
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor
