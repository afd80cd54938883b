#include "phasor/base/cancellation.h"

#include <atomic>

namespace phasor {
namespace {

std::atomic<bool (*)()> cancellation = nullptr;

}  // namespace

void set_cancellation(bool (*asked)()) { cancellation = asked; }

void stop_if_cancelled() {
  bool (*const asked)() = cancellation.load(std::memory_order_relaxed);
  if (asked != nullptr && asked()) throw Cancelled("interrupted");
}

}  // namespace phasor
