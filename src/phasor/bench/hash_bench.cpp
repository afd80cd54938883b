#include "phasor/bench/hash_bench.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "phasor/base/content_hash.h"
#include "phasor/base/error.h"

namespace phasor {

HashBench bench_hash() {
  constexpr size_t kBytes = size_t{256} << 20;
  constexpr size_t kTurns = 5;
  const std::vector<std::byte> data(kBytes, std::byte{0x5a});
  std::vector<double> rates;
  for (size_t turn = 0; turn < kTurns; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    ContentHash hash;
    hash.add(data);
    if (hash.value() == 0) fail("a hash of zero");  // so that it is computed
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rates.push_back(1e-9 * static_cast<double>(kBytes) / seconds);
  }
  std::sort(rates.begin(), rates.end());
  return {.gigabytes_per_second = rates[kTurns / 2], .turns = kTurns, .bytes = kBytes};
}

}  // namespace phasor
