#pragma once
// Copying and reversing a string, word by word, with a causal model. A sequence of a string of n words has 2 n + 1
// tokens, so longer() adds extra / 2 words, an odd extra rounded down.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry copy_task();
TaskEntry reverse_task();

}  // namespace phasor
