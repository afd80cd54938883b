#pragma once
// Indirect indexing: the word k places left of a marker.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry indirect_task();

}  // namespace phasor
