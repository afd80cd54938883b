#include "phasor/engine/devices.h"

#include <fmt/ranges.h>

#include "phasor/base/error.h"
#include "phasor/engine/cpu/cpu_backend.h"
#ifdef PHASOR_HAVE_CUDA
#include "phasor/engine/cuda/cuda_backend.h"
#endif

namespace phasor {
namespace {

struct Device {
  std::string_view name;
  std::unique_ptr<Backend> (*make)();
};

constexpr Device kDevices[] = {
    {"cpu", make_cpu_backend},
#ifdef PHASOR_HAVE_CUDA
    {"cuda", make_cuda_backend},
#endif
};

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
  if (name == "cuda") fail_usage("this build has no CUDA backend; configure it with --preset cuda, or use 'cpu'");
  fail_usage("device '{}' is not in this build; it has: {}", name, fmt::join(device_names(), ", "));
}

}  // namespace phasor
