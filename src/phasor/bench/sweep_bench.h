#pragma once
// What going on from the ablated layer saves: the same sweep twice, batch by batch in turns, so that whatever else the
// machine does meets both.
#include <functional>

#include "phasor/ablation/head_sweep.h"

namespace phasor {

struct SweepBench {
  double seconds = 0.0;        // going on from the layer
  double naive_seconds = 0.0;  // a whole forward pass for every head
  int64_t heads = 0, samples = 0;
  bool same_scores = false;  // bit for bit

  double ratio() const { return naive_seconds / seconds; }
};

// Zero ablation of every head alone. `progress` is told the share of the work done.
SweepBench bench_sweep(Transformer& model, const Dataset& data, int64_t samples, int64_t batch,
                       const std::function<void(double share)>& progress = {});

}  // namespace phasor
