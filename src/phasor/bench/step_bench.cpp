#include "phasor/bench/step_bench.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "phasor/engine/peak.h"
#include "phasor/model/flops.h"
#include "phasor/run/session.h"
#include "phasor/train/schedule.h"
#include "phasor/train/updates.h"

namespace phasor {
namespace {

constexpr int64_t kAsynchronousBlock = 20;

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
  Updates updates(used, session.model(), config.train);
  int64_t step = 0;
  double flops = 0.0, tokens = 0.0;
  // A device that works on its own is timed over blocks of steps, which follow each other there as in training: the
  // next batch is made meanwhile.
  const auto run_block = [&](int64_t count) {
    Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < count; ++i) {
      const Batch& batch = session.training_batch(++step);
      if (count == 1) start = Clock::now();
      updates.make(batch, step, learning_rate(config.train, std::min(step, config.train.steps)));
      if (updates.is_due()) updates.read();
      flops += training_flops(config.model, session.model().encoding(), batch);
      tokens += static_cast<double>(batch.token_count());
    }
    used.synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return seconds / static_cast<double>(count);
  };

  const int64_t block = used.is_synchronous() ? 1 : std::min<int64_t>(kAsynchronousBlock, options.steps);
  run_block(options.warmup);
  flops = tokens = 0.0;
  std::vector<double> seconds;
  for (int64_t done = 0; done < options.steps; done += block) {
    seconds.push_back(run_block(std::min(block, options.steps - done)));
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  const auto steps = static_cast<double>(options.steps);

  StepBench bench;
  bench.ms_per_step = median * 1e3;
  bench.ms_fastest = seconds.front() * 1e3;
  bench.tokens_per_step = tokens / steps;
  bench.tokens_per_second = bench.tokens_per_step / median;
  bench.gflops = flops / steps / median * 1e-9;
  bench.parameters = session.model().layout().count();
  bench.resident_mib = resident_mib();
  if (options.profile) {
    profiler.set_timing(true);
    run_block(options.steps);
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
