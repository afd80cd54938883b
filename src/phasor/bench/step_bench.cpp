#include "phasor/bench/step_bench.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "phasor/engine/peak.h"
#include "phasor/model/flops.h"
#include "phasor/run/session.h"
#include "phasor/train/optimizer.h"
#include "phasor/train/schedule.h"

namespace phasor {
namespace {

double resident_mib() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

StepBench bench_step(Backend& backend, const RunConfig& given, const StepBenchOptions& options) {
  using Clock = std::chrono::steady_clock;
  RunConfig config = given;
  // Enough samples for every batch to be a fresh one; the whole set would only cost start-up time.
  const int64_t rounds = options.profile ? 2 : 1;
  config.data.train_samples = config.train.batch * (options.warmup + rounds * options.steps);
  config.data.test_samples = 1;

  ProfilingBackend profiler(backend);
  Backend& used = options.profile ? static_cast<Backend&>(profiler) : backend;
  Session session(used, config, {});
  Optimizer optimizer(used, session.model(), config.train);
  int64_t step = 0;
  double flops = 0.0, tokens = 0.0;
  const auto run_step = [&] {
    const Batch& batch = session.training_batch(++step);
    const Clock::time_point start = Clock::now();
    session.model().forward_backward(batch, static_cast<uint32_t>(step));
    optimizer.update(session.model(), step, learning_rate(config.train, std::min(step, config.train.steps)));
    used.synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    flops += training_flops(config.model, session.model().encoding(), batch);
    tokens += static_cast<double>(batch.token_count());
    return seconds;
  };

  for (int64_t i = 0; i < options.warmup; ++i) run_step();
  flops = tokens = 0.0;
  std::vector<double> seconds;
  for (int64_t i = 0; i < options.steps; ++i) seconds.push_back(run_step());
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  const auto steps = static_cast<double>(options.steps);

  StepBench bench;
  bench.ms_per_step = median * 1e3;
  bench.ms_fastest = seconds.front() * 1e3;
  bench.tokens_per_step = tokens / steps;
  bench.tokens_per_second = bench.tokens_per_step / median;
  bench.gflops = flops / steps / median * 1e-9;
  bench.parameters = session.model().layout().size();
  bench.resident_mib = resident_mib();
  if (options.profile) {
    profiler.set_timing(true);
    for (int64_t i = 0; i < options.steps; ++i) run_step();
    for (const auto& [name, time] : profiler.times()) {
      bench.times[name] = {time.seconds / steps, time.calls / options.steps};
    }
  }
  const Peak peak = measure_peak();
  bench.peak_gflops = peak.gflops;
  bench.peak_library = peak.library;
  bench.share_of_peak = bench.gflops / peak.gflops;
  return bench;
}

}  // namespace phasor
