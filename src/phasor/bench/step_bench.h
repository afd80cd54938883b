#pragma once
// The speed of a training step: forward, backward, gradient norm, AdamW, on fresh batches of the run's task.
#include <cstdint>
#include <map>
#include <string>

#include "phasor/engine/profiling_backend.h"
#include "phasor/run/config.h"

namespace phasor {

struct StepBenchOptions {
  int64_t warmup = 5;
  int64_t steps = 20;
  bool profile = false;  // time every kind of op (in a second round, so that the first stays undisturbed)
};

struct StepBench {
  double ms_per_step = 0.0;  // median
  double ms_fastest = 0.0;
  double tokens_per_step = 0.0;
  double tokens_per_second = 0.0;
  double gflops = 0.0;  // useful arithmetic per second at the median
  double peak_gflops = 0.0;
  std::string peak_library;
  double share_of_peak = 0.0;
  double resident_mib = 0.0;  // of the process, at its highest
  int64_t parameters = 0;
  std::map<std::string, OpTime> times;  // per step, where profiled
};

StepBench bench_step(Backend& backend, const RunConfig& given, const StepBenchOptions& options);

}  // namespace phasor
