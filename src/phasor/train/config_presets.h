#pragma once
// Bundles of values that a run starts from. An explicit value always wins over them.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "phasor/task/task.h"

namespace phasor {

using ConfigBundle = std::vector<std::pair<std::string, std::string>>;  // key, value

std::vector<std::string> preset_names();

// Sizes of model, data and training.
ConfigBundle preset_bundle(std::string_view preset);

// The task's own options at this preset.
TaskValues preset_task_values(std::string_view preset, const TaskEntry& task);

// What a protocol fixes besides its own switches.
ConfigBundle protocol_bundle(std::string_view protocol);

}  // namespace phasor
