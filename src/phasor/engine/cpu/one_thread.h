#pragma once
// While it lives, code outside a parallel region sees one thread: libraries that would share a product among all
// threads keep to the calling one. Also puts the thread count back where a library changed it.
#include <omp.h>

namespace phasor {

class OneThread {
 public:
  OneThread() : threads_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(threads_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int threads_;
};

}  // namespace phasor
