#pragma once
// Trigger counting: how many tokens are trigger words, wherever they stand.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry counting_task();

}  // namespace phasor
