#pragma once
// A thread count for as long as it lives. Tiny models run on one thread: threads that wait for each other actively
// are a hundred times slower on a busy machine, and that threads change nothing is a test of its own.
#include "phasor/base/threads.h"

namespace phasor::testing_support {

class ThreadGuard {
 public:
  explicit ThreadGuard(int threads) { set_thread_count(threads); }
  ThreadGuard(const ThreadGuard&) = delete;
  ThreadGuard& operator=(const ThreadGuard&) = delete;
  ~ThreadGuard() { set_thread_count(before_); }

 private:
  int before_ = thread_count();
};

}  // namespace phasor::testing_support
