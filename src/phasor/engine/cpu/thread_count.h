#pragma once
// While it lives, OpenMP reports this many threads to the calling task; then what it reported before, also where a
// library changed it in between. With 1, libraries that would share a product among threads keep to the calling one.
#include <omp.h>

namespace phasor {

class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace phasor
