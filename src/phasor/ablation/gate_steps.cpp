#include "phasor/ablation/gate_steps.h"

#include <algorithm>

#include "phasor/engine/download.h"

namespace phasor {

std::vector<double> prefix_rows(Backend& backend, const Attention& attention, int64_t tokens) {
  if (attention.prefix.empty()) return {};
  return download(backend, attention.prefix.data(), tokens * attention.shape.heads);
}

void GateSteps::add(const Batch& batch, const std::vector<double>& prefix) {
  if (prefix.empty()) return;
  const size_t heads = sums_.size();
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const auto first = static_cast<size_t>(batch.offsets[static_cast<size_t>(s)]);
    const auto end = static_cast<size_t>(batch.offsets[static_cast<size_t>(s) + 1]);
    if (end == first) continue;
    for (size_t h = 0; h < heads; ++h) sums_[h] += prefix[(end - 1) * heads + h] - prefix[first * heads + h];
    steps_ += static_cast<int64_t>(end - first) - 1;
  }
}

std::vector<double> GateSteps::others(const double* own, int64_t length) const {
  const int64_t own_steps = std::max<int64_t>(length - 1, 0);
  const bool alone = steps_ <= own_steps;
  const int64_t steps = alone ? std::max<int64_t>(steps_, 1) : steps_ - own_steps;
  const size_t heads = sums_.size();
  std::vector<double> result;
  for (size_t h = 0; h < heads; ++h) {
    const double through = length > 0 ? own[static_cast<size_t>(length - 1) * heads + h] - own[h] : 0.0;
    result.push_back((sums_[h] - (alone ? 0.0 : through)) / static_cast<double>(steps));
  }
  return result;
}

}  // namespace phasor
