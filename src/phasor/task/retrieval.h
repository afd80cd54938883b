#pragma once
// Associative recall: the value that follows a key.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry retrieval_task();

}  // namespace phasor
