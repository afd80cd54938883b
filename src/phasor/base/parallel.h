#pragma once
// How the backend uses threads. oneDNN and OpenBLAS are called from inside these loops, where they run on
// the calling thread alone: the process has one thread pool, and no library decides how work is split.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>

namespace phasor {

inline int64_t chunk_count(int64_t count, int64_t grain) { return (count + grain - 1) / grain; }

namespace detail {

// An exception must not leave an OpenMP region: the first one is kept and thrown after it.
class FirstException {
 public:
  template <class Body>
  void guard(const Body& body) noexcept {
    try {
      body();
    } catch (...) {
#pragma omp critical(phasor_first_exception)
      if (!first_) first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace detail

// Calls body(begin, end) for consecutive ranges of `grain` items. The ranges depend on count and
// grain only, so what is summed inside one is summed alike at any thread count.
template <class Body>
void parallel_for(int64_t count, int64_t grain, const Body& body) {
  const int64_t chunks = chunk_count(count, grain);
  if (chunks <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  detail::FirstException error;
#pragma omp parallel for schedule(dynamic, 1)
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    error.guard([&] { body(chunk * grain, std::min(count, (chunk + 1) * grain)); });
  }
  error.rethrow();
}

}  // namespace phasor
