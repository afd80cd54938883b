#pragma once
// Copying and reversing a string, word by word, with a causal model.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry copy_task();
TaskEntry reverse_task();

}  // namespace phasor
