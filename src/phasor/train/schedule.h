#pragma once
// Linear warm-up, then half a cosine down to zero.
#include <cstdint>

#include "phasor/train/config.h"

namespace phasor {

// The learning rate of update number `step`, counted from 1 to config.steps.
double learning_rate(const TrainConfig& config, int64_t step);

}  // namespace phasor
