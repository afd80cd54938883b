#pragma once
#include "phasor/task/task.h"

namespace phasor {

TaskEntry grid_task();

}  // namespace phasor
