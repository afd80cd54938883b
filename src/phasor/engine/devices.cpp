#include "phasor/engine/devices.h"

#include <fmt/ranges.h>

#include "phasor/base/error.h"
#include "phasor/engine/cpu/cpu_backend.h"

namespace phasor {
namespace {

struct Device {
  std::string_view name;
  std::unique_ptr<Backend> (*make)();
};

constexpr Device kDevices[] = {{"cpu", make_cpu_backend}};

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const Device& device : kDevices) names.emplace_back(device.name);
  return names;
}

std::unique_ptr<Backend> make_backend(std::string_view name) {
  for (const Device& device : kDevices) {
    if (device.name == name) return device.make();
  }
  fail_usage("device '{}' is not in this build; it has: {}", name, fmt::join(device_names(), ", "));
}

}  // namespace phasor
