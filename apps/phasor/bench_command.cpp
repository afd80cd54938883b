// phasor bench: speed, measured against this machine's peak.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "phasor/engine/threads.h"
#include "phasor/train/config_text.h"
#include "phasor/train/session.h"
#include "phasor/train/step_bench.h"
#include "run_options.h"
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
  fmt::print("{}\n", json.dump(2));
}

void print_table(const RunConfig& config, const StepBench& bench) {
  fmt::print("training step, preset {}, {}, batch {}, {}, {} threads\n", config.preset, config.model.encoding,
             config.train.batch, name(config.train.precision), thread_count());
  fmt::print("  {:10.2f} ms per step (median; fastest {:.2f})\n", bench.ms_per_step, bench.ms_fastest);
  fmt::print("  {:10.0f} real tokens per second ({:.0f} per step, no padding)\n", bench.tokens_per_second,
             bench.tokens_per_step);
  fmt::print("  {:10.1f} useful GFLOP/s\n", bench.gflops);
  fmt::print("  {:10.1f} GFLOP/s peak (2048^3 fp32 product by {}, same threads)\n", bench.peak_gflops,
             bench.peak_library);
  fmt::print("  {:10.1f} % of peak\n", 100.0 * bench.share_of_peak);
  fmt::print("  {:10.0f} MiB resident at most\n", bench.resident_mib);
  if (bench.times.empty()) return;
  fmt::print("time per step by op\n");
  for (const auto& [op, time] : bench.times)
    fmt::print("  {:10.2f} ms  {:3} x  {}\n", time.seconds * 1e3, time.calls, op);
}

void run_bench(const BenchOptions& options) {
  ConfigBuilder builder = options.run.builder();
  if (!options.batch.empty()) builder.add_option("--batch", "train.batch", options.batch);
  if (!options.precision.empty()) builder.add_option("--precision", "train.precision", options.precision);
  const StepBenchOptions bench_options{
      .warmup = read_whole("--warmup", options.warmup, {.least = 0, .most = kMostSteps}),
      .steps = read_whole("--steps", options.steps, {.least = 1, .most = kMostSteps}),
      .profile = options.profile};
  const RunConfig config = builder.build();
  resolve_encoding(config.model);
  const std::unique_ptr<Backend> backend = options.device.open();
  const StepBench bench = bench_step(*backend, config, bench_options);
  if (options.json) {
    print_json(config, bench);
  } else {
    print_table(config, bench);
  }
}

}  // namespace

void add_bench_command(CLI::App& app) {
  CLI::App* group = app.add_subcommand("bench", "Measure speed against this machine's peak");
  group->require_subcommand(1);
  group->footer("Example:\n  phasor bench step --preset quick --encoding rope");
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
}

}  // namespace phasor::app
