#include "phasor/bench/sweep_bench.h"

#include <chrono>

namespace phasor {
namespace {

using Clock = std::chrono::steady_clock;

double timed(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

SweepBench bench_sweep(Transformer& model, const Dataset& data, int64_t samples, int64_t batch,
                       const std::function<void(double share)>& progress) {
  SweepOptions options{.methods = {AblationMethod::zero}, .only_methods = {}, .samples = samples, .batch = batch};
  HeadSweep incremental(model, data, options);
  options.incremental = false;
  HeadSweep naive(model, data, options);
  SweepBench bench{.heads = model.config().layers * model.config().heads, .samples = naive.table().samples};
  incremental.prepare();
  naive.prepare();
  for (bool naive_first = false; !naive.finished(); naive_first = !naive_first) {
    if (naive_first) bench.naive_seconds += timed([&] { naive.measure_next(); });
    bench.seconds += timed([&] { incremental.measure_next(); });
    if (!naive_first) bench.naive_seconds += timed([&] { naive.measure_next(); });
    if (progress) progress(static_cast<double>(naive.table().done) / static_cast<double>(naive.table().samples));
  }
  bench.same_scores = incremental.table() == naive.table();
  return bench;
}

}  // namespace phasor
