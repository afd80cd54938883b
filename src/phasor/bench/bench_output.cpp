#include "phasor/bench/bench_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/base/threads.h"

namespace phasor {

using Json = nlohmann::ordered_json;

Json to_json(const RunConfig& config, const StepBench& bench) {
  Json json = {{"preset", config.preset},
               {"encoding", config.model.encoding},
               {"batch", config.train.batch},
               {"precision", name(config.train.precision)},
               {"threads", thread_count()},
               {"ms_per_step", bench.ms_per_step},
               {"ms_fastest", bench.ms_fastest},
               {"tokens_per_step", bench.tokens_per_step},
               {"tokens_per_second", bench.tokens_per_second},
               {"gflops", bench.gflops},
               {"peak_gflops", bench.peak_gflops},
               {"peak_library", bench.peak_library},
               {"share_of_peak", bench.share_of_peak},
               {"resident_mib", bench.resident_mib},
               {"parameters", bench.parameters}};
  for (const auto& [op, time] : bench.times) json["ops"][op] = {{"ms", time.seconds * 1e3}, {"calls", time.calls}};
  return json;
}

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

Json to_json(const std::vector<EncodingTime>& times) {
  Json list = Json::array();
  for (const EncodingTime& time : times) {
    list.push_back({{"name", time.encoding},
                    {"causal", time.causal},
                    {"ms_per_step", time.ms},
                    {"rope_ms_per_step", time.rope_ms},
                    {"ratio", time.ratio},
                    {"parameters", time.parameters}});
  }
  return list;
}

Json to_json(const RunConfig& config, const SweepBench& bench) {
  return {{"preset", config.preset},   {"encoding", config.model.encoding}, {"heads", bench.heads},
          {"samples", bench.samples},  {"batch", config.train.batch},       {"precision", name(config.train.precision)},
          {"threads", thread_count()}, {"seconds", bench.seconds},          {"naive_seconds", bench.naive_seconds},
          {"ratio", bench.ratio()},    {"same_scores", bench.same_scores}};
}

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
