#include "phasor/study/plan/planned_run.h"

#include <algorithm>

namespace phasor {

RunMeasures united(const RunMeasures& a, const RunMeasures& b) {
  RunMeasures both{.ablation = a.ablation || b.ablation,
                   .snapshots = a.snapshots || b.snapshots,
                   .published = a.published || b.published,
                   .spectrum = a.spectrum || b.spectrum,
                   .lengths = a.lengths,
                   .ablation_samples = std::max(a.ablation_samples, b.ablation_samples)};
  both.lengths.insert(both.lengths.end(), b.lengths.begin(), b.lengths.end());
  std::sort(both.lengths.begin(), both.lengths.end());
  both.lengths.erase(std::unique(both.lengths.begin(), both.lengths.end()), both.lengths.end());
  return both;
}

}  // namespace phasor
