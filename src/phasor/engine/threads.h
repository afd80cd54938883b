#pragma once
// How many threads the CPU backend uses. Results do not depend on it.

namespace phasor {

void set_thread_count(int threads);
int thread_count();

}  // namespace phasor
