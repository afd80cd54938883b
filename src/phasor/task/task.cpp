#include "phasor/task/task.h"

#include "phasor/base/error.h"

namespace phasor {
namespace {

constexpr int64_t kMostExtra = int64_t{1} << 20;

}  // namespace

std::unique_ptr<Task> Task::longer(int64_t) const {
  fail_usage("this task has no longer samples with the same answers");
}

int32_t add_extra(int32_t before, int64_t extra) {
  if (extra < 0 || extra > kMostExtra - before) {
    fail_usage("samples cannot be {} tokens longer; 0 to {}", extra, kMostExtra - before);
  }
  return before + static_cast<int32_t>(extra);
}

}  // namespace phasor
