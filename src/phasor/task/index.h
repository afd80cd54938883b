#pragma once
// Indexing: which word stands at the place that the last token names.
#include "phasor/task/task.h"

namespace phasor {

TaskEntry index_task();

}  // namespace phasor
