#pragma once
// How many threads loops may use. Results do not depend on it.

namespace phasor {

void set_thread_count(int threads);
int thread_count();

// While it lives, OpenMP reports this many threads to the calling task; then what it reported before, also where a
// library changed it in between. With 1, libraries that would share a product among threads keep to the calling one.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(thread_count()) { set_thread_count(threads); }
  ~ThreadCount() { set_thread_count(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

}  // namespace phasor
