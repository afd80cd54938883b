// phasor bench: speed, measured against this machine's peak.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "phasor/ablation/sweep_bench.h"
#include "phasor/base/content_hash.h"
#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/engine/threads.h"
#include "phasor/train/config_text.h"
#include "phasor/train/encoding_bench.h"
#include "phasor/train/session.h"
#include "phasor/train/step_bench.h"
#include "run_options.h"
#include "share_line.h"
#include "terminal.h"
#include "usage.h"

namespace phasor::app {
namespace {

constexpr int64_t kMostSteps = 100000;

struct BenchOptions {
  RunOptions run;
  DeviceOptions device;
  std::string batch, precision;
  std::string steps = "20", warmup = "5";
  bool profile = false;
  bool json = false;
};

void print_json(const RunConfig& config, const StepBench& bench) {
  nlohmann::ordered_json json = {{"preset", config.preset},
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
  print_out("{}\n", json.dump(2));
}

void print_table(const RunConfig& config, const StepBench& bench) {
  print_out("training step, preset {}, {}, batch {}, {}, {} threads\n", config.preset, config.model.encoding,
            config.train.batch, name(config.train.precision), thread_count());
  print_out("  {:10.2f} ms per step (median; fastest {:.2f})\n", bench.ms_per_step, bench.ms_fastest);
  print_out("  {:10.0f} real tokens per second ({:.0f} per step, no padding)\n", bench.tokens_per_second,
            bench.tokens_per_step);
  print_out("  {:10.1f} useful GFLOP/s\n", bench.gflops);
  print_out("  {:10.1f} GFLOP/s peak (2048^3 fp32 product by {}, same threads)\n", bench.peak_gflops,
            bench.peak_library);
  print_out("  {:10.1f} % of peak\n", 100.0 * bench.share_of_peak);
  print_out("  {:10.0f} MiB resident at most\n", bench.resident_mib);
  if (bench.times.empty()) return;
  print_out("time per step by op\n");
  for (const auto& [op, time] : bench.times)
    print_out("  {:10.2f} ms  {:3} x  {}\n", time.seconds * 1e3, time.calls, op);
}

RunConfig configured(const BenchOptions& options) {
  ConfigBuilder builder = options.run.builder();
  if (!options.batch.empty()) builder.add_option("--batch", "train.batch", options.batch);
  if (!options.precision.empty()) builder.add_option("--precision", "train.precision", options.precision);
  return builder.build();
}

void run_bench(const BenchOptions& options) {
  const StepBenchOptions bench_options{
      .warmup = read_whole("--warmup", options.warmup, {.least = 0, .most = kMostSteps}),
      .steps = read_whole("--steps", options.steps, {.least = 1, .most = kMostSteps}),
      .profile = options.profile};
  const RunConfig config = configured(options);
  resolve_encoding(config.model);
  const std::unique_ptr<Backend> backend = options.device.open();
  const StepBench bench = bench_step(*backend, config, bench_options);
  if (options.json) {
    print_json(config, bench);
  } else {
    print_table(config, bench);
  }
}

void run_bench_encodings(const BenchOptions& options, const std::vector<std::string>& wanted) {
  const RunConfig config = configured(options);
  const EncodingBenchOptions bench_options{
      .warmup = read_whole("--warmup", options.warmup, {.least = 0, .most = kMostSteps}),
      .steps = read_whole("--steps", options.steps, {.least = 1, .most = kMostSteps})};
  for (const std::string& text : wanted) parse_encoding(text);
  const std::unique_ptr<Backend> backend = options.device.open();
  if (!options.json) {
    print_out("training step beside rope's, preset {}, batch {}, {}, {} threads, median of {} pairs\n", config.preset,
              config.train.batch, name(config.train.precision), thread_count(), bench_options.steps);
    print_out("{:>9} {:>9} {:>7} {:>11}  encoding\n", "ms", "rope ms", "ratio", "parameters");
  }
  const auto report = [&](const EncodingTime& time) {
    if (options.json) return;
    print_out("{:9.2f} {:9.2f} {:7.3f} {:11}  {}{}\n", time.ms, time.rope_ms, time.ratio, time.parameters,
              time.encoding, time.causal ? "  (causal)" : "");
    std::fflush(stdout);
  };
  const std::vector<EncodingTime> times =
      bench_encodings(*backend, config, wanted.empty() ? benchmarked_encodings() : wanted, bench_options, report);
  if (!options.json) return;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const EncodingTime& time : times) {
    list.push_back({{"name", time.encoding},
                    {"causal", time.causal},
                    {"ms_per_step", time.ms},
                    {"rope_ms_per_step", time.rope_ms},
                    {"ratio", time.ratio},
                    {"parameters", time.parameters}});
  }
  print_out("{}\n", list.dump(2));
}

void add_bench_encodings(CLI::App& group) {
  CLI::App* command = group.add_subcommand("encodings", "What each encoding's training step costs beside rope's");
  auto options = std::make_shared<BenchOptions>();
  auto wanted = std::make_shared<std::vector<std::string>>();
  options->steps = "8";
  options->warmup = "2";
  command->add_option("encodings", *wanted, "Encodings to measure (default: the whole catalogue)")->type_name("TEXT");
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--batch", options->batch, "Sequences per step (default: the preset's)")->type_name("N");
  add_text(*command, "--precision", options->precision, "fp32 (default) or bf16")->type_name("NAME");
  add_text(*command, "--steps", options->steps, "Timed pairs of steps")->type_name("N")->capture_default_str();
  add_text(*command, "--warmup", options->warmup, "Pairs before the clock starts")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print an array of objects instead of a table");
  command->footer(
      "Examples:\n"
      "  phasor bench encodings --preset paper --batch 32\n"
      "  phasor bench encodings --preset quick t5 fire mla");
  command->callback([options, wanted] { run_bench_encodings(*options, *wanted); });
}

void run_bench_ablation(const BenchOptions& options, const std::string& samples_text) {
  RunConfig config = configured(options);
  const int64_t samples = read_whole("--samples", samples_text, {.least = 1, .most = 1000000});
  config.data.train_samples = 0;
  config.data.test_samples = samples;
  config.data.validation_samples = 0;
  config.train.batch = std::min<int64_t>(config.train.batch, 128);
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session(*backend, config, {.training = false});
  session.model().load_parameters(session.model().layout().initial_values(config.seed));
  SweepBench bench;
  {
    ShareLine line("bench ablation");
    bench = bench_sweep(session.model(), session.data().test, samples, config.train.batch,
                        [&](double share) { line.update("both sweeps", share); });
  }
  if (options.json) {
    const nlohmann::ordered_json json = {
        {"preset", config.preset},   {"encoding", config.model.encoding}, {"heads", bench.heads},
        {"samples", bench.samples},  {"batch", config.train.batch},       {"precision", name(config.train.precision)},
        {"threads", thread_count()}, {"seconds", bench.seconds},          {"naive_seconds", bench.naive_seconds},
        {"ratio", bench.ratio()},    {"same_scores", bench.same_scores}};
    print_out("{}\n", json.dump(2));
    return;
  }
  print_out("zero ablation of {} heads, preset {}, {}, {} samples, {}, {} threads\n", bench.heads, config.preset,
            config.model.encoding, bench.samples, name(config.train.precision), thread_count());
  print_out("  {:10.1f} s going on from the ablated layer\n", bench.seconds);
  print_out("  {:10.1f} s by a whole forward pass for every head\n", bench.naive_seconds);
  print_out("  {:10.2f} times as fast; scores {} bit for bit\n", bench.ratio(),
            bench.same_scores ? "equal" : "NOT equal");
}

void add_bench_ablation(CLI::App& group) {
  CLI::App* command =
      group.add_subcommand("ablation", "A sweep over all heads, beside one by whole forward passes, in turns");
  auto options = std::make_shared<BenchOptions>();
  auto samples = std::make_shared<std::string>("1024");
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--precision", options->precision, "fp32 (default) or bf16")->type_name("NAME");
  add_text(*command, "--samples", *samples, "Test samples")->type_name("N")->capture_default_str();
  command->add_flag("--json", options->json, "Print an object instead of a table");
  command->footer("Example:\n  phasor bench ablation --preset paper --samples 4096");
  command->callback([options, samples] { run_bench_ablation(*options, *samples); });
}

// What the checksums of files cost.
void run_bench_hash(bool json) {
  constexpr size_t kBytes = size_t{256} << 20;
  constexpr int kTurns = 5;
  const std::vector<std::byte> data(kBytes, std::byte{0x5a});
  std::vector<double> rates;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    ContentHash hash;
    hash.add(data);
    if (hash.value() == 0) fail("a hash of zero");  // so that it is computed
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rates.push_back(1e-9 * static_cast<double>(kBytes) / seconds);
  }
  std::sort(rates.begin(), rates.end());
  const double median = rates[kTurns / 2];
  if (json) {
    print_out("{}\n", nlohmann::ordered_json({{"gigabytes_per_second", median}}).dump(2));
  } else {
    print_out("checksum (XXH64): {:.1f} GB/s, median of {} over {} MiB in memory\n", median, kTurns, kBytes >> 20);
  }
}

void add_bench_hash(CLI::App& group) {
  CLI::App* command = group.add_subcommand("hash", "The checksum of files, on one core");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print it as JSON");
  command->footer("Example:\n  phasor bench hash");
  command->callback([json] { run_bench_hash(*json); });
}

}  // namespace

void add_bench_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("bench", "Measure speed against this machine's peak");
  group->require_subcommand(1);
  group->footer(
      "Examples:\n  phasor bench step --preset quick --encoding rope\n  phasor bench encodings --preset quick");
  add_bench_encodings(*group);
  add_bench_ablation(*group);
  CLI::App* command = group->add_subcommand("step", "A training step: forward, backward, AdamW");
  auto options = std::make_shared<BenchOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--batch", options->batch, "Sequences per step (default: the preset's)")->type_name("N");
  add_text(*command, "--precision", options->precision, "fp32 (default) or bf16")->type_name("NAME");
  add_text(*command, "--steps", options->steps, "Timed steps")->type_name("N")->capture_default_str();
  add_text(*command, "--warmup", options->warmup, "Steps before the clock starts")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--profile", options->profile, "Also time every kind of op");
  command->add_flag("--json", options->json, "Print an object instead of a table");
  command->footer(
      "Example:\n"
      "  phasor bench step --preset paper --encoding rope --batch 32 --profile\n"
      "bench/compare_pytorch.py runs the same step in PyTorch and prints the ratio.");
  command->callback([options] { run_bench(*options); });
  add_bench_hash(*group);
}

}  // namespace phasor::app
