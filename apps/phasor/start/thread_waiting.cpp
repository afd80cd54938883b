#include "start/thread_waiting.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace phasor::app {

void shorten_waiting(char** argv) {
  // Some tens of microseconds, about what waking a thread costs: more is lost on a busy machine and gains nothing on an
  // idle one.
  constexpr const char* kSpins = "1000";
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  std::array<char, 4096> path = {};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length <= 0 || setenv("GOMP_SPINCOUNT", kSpins, 1) != 0) return;
  execv(path.data(), argv);
}

}  // namespace phasor::app
