#pragma once
// What ops can run on in this build, by name: the only place that knows which backends there are.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/engine/backend.h"

namespace phasor {

inline constexpr std::string_view kDefaultDevice = "cpu";

std::vector<std::string> device_names();

// A name that this build does not have is a UsageError that lists those it has.
std::unique_ptr<Backend> make_backend(std::string_view name = kDefaultDevice);

}  // namespace phasor
