#include "phasor/bench/encoding_bench.h"

#include <algorithm>
#include <chrono>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/run/session.h"
#include "phasor/train/schedule.h"
#include "phasor/train/updates.h"

namespace phasor {
namespace {

// A model that is being trained, one timed step after the other.
class Stepper {
 public:
  Stepper(Backend& backend, const RunConfig& config)
      : backend_(backend),
        config_(config),
        session_(backend, config, {}),
        updates_(backend, session_.model(), config.train) {}

  double run() {
    using Clock = std::chrono::steady_clock;
    const Batch& batch = session_.training_batch(++step_);
    const Clock::time_point start = Clock::now();
    updates_.make(batch, step_, learning_rate(config_.train, std::min(step_, config_.train.steps)));
    backend_.synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (updates_.is_due()) updates_.read();
    return seconds;
  }

  int64_t parameters() { return session_.model().layout().count(); }

 private:
  Backend& backend_;
  RunConfig config_;
  Session session_;
  Updates updates_;
  int64_t step_ = 0;
};

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Rows of 16 cells, as many as the longest sequence fills.
std::vector<int64_t> folded(int64_t length) { return {(length + 15) / 16, 16}; }

}  // namespace

std::vector<std::string> benchmarked_encodings() {
  std::vector<std::string> result;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    result.push_back(entry.example.empty() ? entry.name : entry.example);
  }
  for (const char* variant :
       {"integer(normalised)", "sinusoidal(scale=learned(1))", "alibi(slopes=learned)", "t5(sharing=layer)",
        "kerple(power)", "rope(layout=half)", "rope(fraction=0.25)", "rope(frequencies=learned)",
        "rope(scaling=linear,factor=4)", "rope(scaling=ntk,factor=4)", "rope(scaling=dynamic,factor=2,original=64)",
        "rope(scaling=yarn,factor=4,original=64)", "rope(scaling=llama3,factor=8,original=64)",
        // Both presets have heads of eight pairs.
        "rope(scaling=longrope,factor=2,original=64,short=\"1,1,1,1,1,1,1,1\",long=\"1,1,1.5,2,3,4,4,4\")",
        "rope(axes=2)", "rope(axes=2,map=mixed)", "rope(axes=2,map=mixed,frequencies=learned)", "rope[heads=0]",
        "sinusoidal+rope", "mla(query=shared,table=released,norm=none)"}) {
    result.emplace_back(variant);
  }
  return result;
}

std::vector<EncodingTime> bench_encodings(Backend& backend, const RunConfig& config,
                                          const std::vector<std::string>& encodings,
                                          const EncodingBenchOptions& options,
                                          const std::function<void(const EncodingTime&)>& report) {
  RunConfig base = config;
  base.data.train_samples = base.train.batch * (options.warmup + options.steps);
  base.data.test_samples = 1;
  std::vector<EncodingTime> times;
  for (const std::string& text : encodings) {
    const Encoding encoding = parse_encoding(text);
    const EncodingTraits traits = EncodingSum(encoding, print(encoding)).traits();
    RunConfig tested = base;
    tested.model.encoding = print(encoding);
    tested.model.causal = config.model.causal || (!traits.bidirectional && !traits.neutral);
    if (traits.n_dimensional && tested.model.grid.empty()) {
      tested.model.grid = folded(config.model.max_length);
    }
    RunConfig rope = tested;
    rope.model.encoding = "rope";
    Stepper one(backend, tested);
    Stepper other(backend, rope);
    for (int64_t i = 0; i < options.warmup; ++i) {
      one.run();
      other.run();
    }
    std::vector<double> seconds, rope_seconds, ratios;
    for (int64_t i = 0; i < options.steps; ++i) {
      rope_seconds.push_back(other.run());
      seconds.push_back(one.run());
      ratios.push_back(seconds.back() / rope_seconds.back());
    }
    times.push_back({.encoding = tested.model.encoding,
                     .causal = tested.model.causal,
                     .ms = median_of(seconds) * 1e3,
                     .rope_ms = median_of(rope_seconds) * 1e3,
                     .ratio = median_of(ratios),
                     .parameters = one.parameters()});
    report(times.back());
  }
  return times;
}

}  // namespace phasor
