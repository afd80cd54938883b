#include "phasor/bench/bench_output.h"

#include <fmt/format.h>

#include "phasor/base/json_fields.h"
#include "phasor/base/threads.h"

namespace phasor {

using Json = nlohmann::ordered_json;

// What was measured, as members of the same object.
template <class T>
static Fields<T> setting_fields() {
  return {derived_field<T>(
              "batch", [](const T& benched) { return benched.config.train.batch; }, "`train.batch`"),
          derived_field<T>(
              "precision", [](const T& benched) { return name(benched.config.train.precision); }, "`train.precision`"),
          derived_field<T>(
              "threads", [](const T&) { return thread_count(); }, "that were used")};
}

template <class T>
static Fields<T> preset_fields() {
  return {derived_field<T>(
              "preset", [](const T& benched) { return benched.config.preset; }, "its name"),
          derived_field<T>(
              "encoding", [](const T& benched) { return benched.config.model.encoding; }, "the canonical expression")};
}

static const Fields<OpTime>& json_fields(const OpTime*) {
  static const Fields<OpTime> fields = {derived_field<OpTime>(
                                            "ms", [](const OpTime& time) { return time.seconds * 1e3; }, "per step"),
                                        field("calls", &OpTime::calls, "per step")};
  return fields;
}

const Fields<BenchedStep>& json_fields(const BenchedStep*) {
  using B = StepBench;
  static const Fields<B> bench = {
      field("ms_per_step", &B::ms_per_step, "median over the timed steps: forward, backward, gradient norm, AdamW"),
      field("ms_fastest", &B::ms_fastest, "the fastest of them"),
      field("tokens_per_step", &B::tokens_per_step, "real tokens"),
      field("tokens_per_second", &B::tokens_per_second, "real tokens, at the median"),
      field("gflops", &B::gflops,
            "useful arithmetic per second, in 1e9: the products of linear layers and attention on real tokens, counted "
            "once for the forward and twice for the backward pass"),
      field("peak_gflops", &B::peak_gflops, "the rate of a 2048 x 2048 x 2048 fp32 product on the same threads"),
      field("peak_library", &B::peak_library, "the library that was fastest at it"),
      field("share_of_peak", &B::share_of_peak, "`gflops` / `peak_gflops`"),
      field("resident_mib", &B::resident_mib, "the peak memory of the process, in MiB"),
      field("parameters", &B::parameters, "trained numbers in the model"),
      field("ops", &B::times, "with `--profile`: every kind of op by its name").left_out_if([](const B& found) {
        return found.times.empty();
      })};
  static const Fields<BenchedStep> fields = joined_fields(
      {preset_fields<BenchedStep>(), setting_fields<BenchedStep>(), part_fields(&BenchedStep::bench, bench)});
  return fields;
}

Json to_json(const RunConfig& config, const StepBench& bench) { return write_json(BenchedStep{config, bench}); }

std::string to_text(const RunConfig& config, const StepBench& bench) {
  std::string text =
      fmt::format("training step, preset {}, {}, batch {}, {}, {} threads\n", config.preset, config.model.encoding,
                  config.train.batch, name(config.train.precision), thread_count());
  text += fmt::format("  {:10.2f} ms per step (median; fastest {:.2f})\n", bench.ms_per_step, bench.ms_fastest);
  text += fmt::format("  {:10.0f} real tokens per second ({:.0f} per step, no padding)\n", bench.tokens_per_second,
                      bench.tokens_per_step);
  text += fmt::format("  {:10.1f} useful GFLOP/s\n", bench.gflops);
  text += fmt::format("  {:10.1f} GFLOP/s peak (2048^3 fp32 product by {}, same threads)\n", bench.peak_gflops,
                      bench.peak_library);
  text += fmt::format("  {:10.1f} % of peak\n", 100.0 * bench.share_of_peak);
  text += fmt::format("  {:10.0f} MiB resident at most\n", bench.resident_mib);
  if (bench.times.empty()) return text;
  text += fmt::format("time per step by op\n");
  for (const auto& [op, time] : bench.times) {
    text += fmt::format("  {:10.2f} ms  {:3} x  {}\n", time.seconds * 1e3, time.calls, op);
  }
  return text;
}

std::string encoding_times_title(const RunConfig& config, const EncodingBenchOptions& options) {
  return fmt::format("training step beside rope's, preset {}, batch {}, {}, {} threads, median of {} pairs\n",
                     config.preset, config.train.batch, name(config.train.precision), thread_count(), options.steps) +
         fmt::format("{:>9} {:>9} {:>7} {:>11}  encoding\n", "ms", "rope ms", "ratio", "parameters");
}

std::string to_text(const EncodingTime& time) {
  return fmt::format("{:9.2f} {:9.2f} {:7.3f} {:11}  {}{}\n", time.ms, time.rope_ms, time.ratio, time.parameters,
                     time.encoding, time.causal ? "  (causal)" : "");
}

const Fields<EncodingTime>& json_fields(const EncodingTime*) {
  using T = EncodingTime;
  static const Fields<T> fields = {field("name", &T::encoding, "the canonical expression"),
                                   field("causal", &T::causal, "measured with a causal mask, as is its rope"),
                                   field("ms_per_step", &T::ms, "median"),
                                   field("rope_ms_per_step", &T::rope_ms, "median of rope's steps beside it"),
                                   field("ratio", &T::ratio, "median over pairs of steps"),
                                   field("parameters", &T::parameters, "trained numbers in the model")};
  return fields;
}

Json to_json(const std::vector<EncodingTime>& times) { return write_json(times); }

const Fields<BenchedSweep>& json_fields(const BenchedSweep*) {
  using B = SweepBench;
  static const Fields<B> sizes = {field("heads", &B::heads, "that were ablated one by one"),
                                  field("samples", &B::samples, "that each was scored on")};
  static const Fields<B> times = {field("seconds", &B::seconds, "going on from the ablated layer"),
                                  field("naive_seconds", &B::naive_seconds, "by a whole forward pass for every head"),
                                  derived_field<B>("ratio", &B::ratio, "`naive_seconds` / `seconds`"),
                                  field("same_scores", &B::same_scores, "equal bit for bit")};
  using S = BenchedSweep;
  static const Fields<S> fields = joined_fields(
      {preset_fields<S>(), part_fields(&S::bench, sizes), setting_fields<S>(), part_fields(&S::bench, times)});
  return fields;
}

Json to_json(const RunConfig& config, const SweepBench& bench) { return write_json(BenchedSweep{config, bench}); }

std::string to_text(const RunConfig& config, const SweepBench& bench) {
  std::string text =
      fmt::format("zero ablation of {} heads, preset {}, {}, {} samples, {}, {} threads\n", bench.heads, config.preset,
                  config.model.encoding, bench.samples, name(config.train.precision), thread_count());
  text += fmt::format("  {:10.1f} s going on from the ablated layer\n", bench.seconds);
  text += fmt::format("  {:10.1f} s by a whole forward pass for every head\n", bench.naive_seconds);
  text += fmt::format("  {:10.2f} times as fast; scores {} bit for bit\n", bench.ratio(),
                      bench.same_scores ? "equal" : "NOT equal");
  return text;
}

std::string to_text(const HashBench& bench) {
  return fmt::format("checksum (XXH64): {:.1f} GB/s, median of {} over {} MiB in memory\n", bench.gigabytes_per_second,
                     bench.turns, bench.bytes >> 20);
}

Json to_json(const HashBench& bench) { return {{"gigabytes_per_second", bench.gigabytes_per_second}}; }

}  // namespace phasor
