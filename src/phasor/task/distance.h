#pragma once
// Relative distance classification: how many tokens stand between two trigger words.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry distance_task();

}  // namespace phasor
