#pragma once
#include "phasor/task/task.h"

namespace phasor {

TaskEntry grid_task();   // two axes
TaskEntry grid3_task();  // three

}  // namespace phasor
