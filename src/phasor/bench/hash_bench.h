#pragma once
// What the checksums of files cost, on one core.
#include <cstdint>

namespace phasor {

struct HashBench {
  double gigabytes_per_second = 0.0;  // median
  int64_t turns = 0, bytes = 0;
};

HashBench bench_hash();

}  // namespace phasor
