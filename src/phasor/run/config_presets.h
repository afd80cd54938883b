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
ConfigBundle preset_bundle(std::string_view preset, const TaskEntry& task);

// The task's own options at this preset.
TaskValues preset_task_values(std::string_view preset, const TaskEntry& task);

// What a protocol fixes: its own switches, and values of model, training and task.
ConfigBundle protocol_bundle(std::string_view protocol, std::string_view preset, const TaskEntry& task);

}  // namespace phasor
