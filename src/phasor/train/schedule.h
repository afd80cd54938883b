#pragma once
// Linear warm-up, then half a cosine that would reach zero one step after the last.
#include <cstdint>

#include "phasor/run/config.h"

namespace phasor {

// The learning rate of update number `step`, counted from 1 to config.steps.
double learning_rate(const TrainConfig& config, int64_t step);

// How many updates the warm-up takes.
int64_t warmup_steps(const TrainConfig& config);

}  // namespace phasor
