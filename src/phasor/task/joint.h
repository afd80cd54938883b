#pragma once
// Distance and counting in one model, told apart by the first token.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry joint_task();

}  // namespace phasor
