#include "phasor/base/threads.h"

#include <omp.h>

namespace phasor {

void set_thread_count(int threads) { omp_set_num_threads(threads); }
int thread_count() { return omp_get_max_threads(); }

}  // namespace phasor
