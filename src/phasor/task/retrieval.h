#pragma once
// Associative recall: the value that follows a key. longer() adds extra / 2 pairs, an odd extra rounded down.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry retrieval_task();

}  // namespace phasor
