#include <algorithm>

#include "phasor/engine/cpu/cpu_backend.h"

namespace phasor {

void CpuBackend::run(const ScoreTargets& op) {
  double loss = 0.0;
  int64_t correct = 0, scored = 0, whole = 0, answers = 0;
  for (int64_t s = 0; s < *op.sequences.count; ++s) {
    const int64_t first = op.every_token ? op.sequences.offsets(s) : s;
    const int64_t end = op.every_token ? op.sequences.offsets(s + 1) : s + 1;
    int64_t counted = 0, right = 0;
    for (int64_t t = first; t < end; ++t) {
      if (op.target(t) == op.not_scored) continue;
      loss += static_cast<double>(op.loss(t));
      right += op.prediction(t) == op.target(t) ? 1 : 0;
      ++counted;
    }
    correct += right;
    scored += counted;
    answers += counted > 0 ? 1 : 0;
    whole += counted > 0 && right == counted ? 1 : 0;
  }
  const double found[kScoreSums] = {loss, static_cast<double>(correct), static_cast<double>(scored),
                                    static_cast<double>(whole), static_cast<double>(answers)};
  double* sums = &op.sums(op.slot == nullptr ? 0 : *op.slot % op.sums.extent(0), 0);
  for (int64_t i = 0; i < kScoreSums; ++i) sums[i] = op.added ? sums[i] + found[i] : found[i];
}

}  // namespace phasor
