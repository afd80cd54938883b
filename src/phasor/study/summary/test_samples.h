#pragma once
// How many different test samples stand behind a mean over runs: runs with one data seed share their test set. It
// bounds how well a mean accuracy can be known, however alike the runs are (statistics::accuracy_variance_floor).
#include <algorithm>
#include <cstdint>
#include <map>

#include "phasor/study/records/run_record.h"

namespace phasor {

class TestSamples {
 public:
  void add(const RunRecord& run) { add(run.data_seed, run.test_samples); }
  void add(uint64_t data_seed, int64_t samples) {
    int64_t& most = sets_[data_seed];
    most = std::max(most, samples);
  }
  int64_t count() const {
    int64_t sum = 0;
    for (const auto& [seed, samples] : sets_) sum += samples;
    return sum;
  }

 private:
  std::map<uint64_t, int64_t> sets_;  // by data seed
};

}  // namespace phasor
