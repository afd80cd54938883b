// phasor bench: speed, measured against this machine's peak.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "options/run_options.h"
#include "options/typed_options.h"
#include "phasor/bench/bench_output.h"
#include "phasor/encoding/encoding.h"
#include "phasor/run/session.h"
#include "terminal/terminal.h"
#include "terminal/work_progress.h"

namespace phasor::app {
namespace {

constexpr int64_t kMostSteps = 100000;

struct BenchOptions {
  RunOptions run;
  DeviceOptions device;
  std::string precision;
  std::optional<int64_t> batch;
  int64_t steps = 20, warmup = 5;
  bool profile = false;
  bool json = false;
};

void show(bool as_json, const nlohmann::ordered_json& json, const std::string& text) {
  print_out("{}", as_json ? json.dump(2) + "\n" : text);
}

RunConfig configured(const BenchOptions& options) {
  ConfigBuilder builder = options.run.builder();
  if (options.batch) builder.add_option("--batch", "train.batch", std::to_string(*options.batch));
  if (!options.precision.empty()) builder.add_option("--precision", "train.precision", options.precision);
  return builder.build();
}

void run_bench(const BenchOptions& options) {
  const StepBenchOptions bench_options{.warmup = options.warmup, .steps = options.steps, .profile = options.profile};
  const RunConfig config = configured(options);
  resolve_encoding(config.model);
  const std::unique_ptr<Backend> backend = options.device.open();
  const StepBench bench = bench_step(*backend, config, bench_options);
  show(options.json, to_json(config, bench), to_text(config, bench));
}

void run_bench_encodings(const BenchOptions& options, const std::vector<std::string>& wanted) {
  const RunConfig config = configured(options);
  const EncodingBenchOptions bench_options{.warmup = options.warmup, .steps = options.steps};
  for (const std::string& text : wanted) parse_encoding(text);
  const std::unique_ptr<Backend> backend = options.device.open();
  if (!options.json) print_out("{}", encoding_times_title(config, bench_options));
  const auto report = [&](const EncodingTime& time) {
    if (options.json) return;
    print_out("{}", to_text(time));
    std::fflush(stdout);
  };
  const std::vector<EncodingTime> times =
      bench_encodings(*backend, config, wanted.empty() ? benchmarked_encodings() : wanted, bench_options, report);
  if (options.json) print_out("{}\n", to_json(times).dump(2));
}

void add_bench_encodings(CLI::App& group) {
  CLI::App* command = group.add_subcommand("encodings", "What each encoding's training step costs beside rope's");
  auto options = std::make_shared<BenchOptions>();
  auto wanted = std::make_shared<std::vector<std::string>>();
  options->steps = 8;
  options->warmup = 2;
  command->add_option("encodings", *wanted, "Encodings to measure (default: the whole catalogue)")->type_name("TEXT");
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_whole(*command, "--batch", options->batch, {.least = 1}, "Sequences per step (default: the preset's)");
  add_text(*command, "--precision", options->precision, "fp32 (default) or bf16")->type_name("NAME");
  add_whole(*command, "--steps", options->steps, {.least = 1, .most = kMostSteps}, "Timed pairs of steps");
  add_whole(*command, "--warmup", options->warmup, {.least = 0, .most = kMostSteps}, "Pairs before the clock starts");
  command->add_flag("--json", options->json, "Print an array of objects instead of a table");
  command->footer(
      "Examples:\n"
      "  phasor bench encodings --preset paper --batch 32\n"
      "  phasor bench encodings --preset quick t5 fire mla");
  command->callback([options, wanted] { run_bench_encodings(*options, *wanted); });
}

void run_bench_ablation(const BenchOptions& options, int64_t samples) {
  RunConfig config = configured(options);
  config.data.train_samples = 0;
  config.data.test_samples = samples;
  config.data.validation_samples = 0;
  config.train.batch = std::min<int64_t>(config.train.batch, 128);
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session(*backend, config, {.training = false});
  session.model().load_parameters(session.model().layout().initial_values(config.seed));
  SweepBench bench;
  {
    WorkProgress line("bench ablation");
    bench = bench_sweep(session.model(), session.data().test, samples, config.train.batch,
                        [&](double share) { line.update("both sweeps", share); });
  }
  show(options.json, to_json(config, bench), to_text(config, bench));
}

void add_bench_ablation(CLI::App& group) {
  CLI::App* command =
      group.add_subcommand("ablation", "A sweep over all heads, beside one by whole forward passes, in turns");
  auto options = std::make_shared<BenchOptions>();
  auto samples = std::make_shared<int64_t>(1024);
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--precision", options->precision, "fp32 (default) or bf16")->type_name("NAME");
  add_whole(*command, "--samples", *samples, {.least = 1, .most = 1000000}, "Test samples");
  command->add_flag("--json", options->json, "Print an object instead of a table");
  command->footer("Example:\n  phasor bench ablation --preset paper --samples 4096");
  command->callback([options, samples] { run_bench_ablation(*options, *samples); });
}

void add_bench_hash(CLI::App& group) {
  CLI::App* command = group.add_subcommand("hash", "The checksum of files, on one core");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print it as JSON");
  command->footer("Example:\n  phasor bench hash");
  command->callback([json] {
    const HashBench bench = bench_hash();
    show(*json, to_json(bench), to_text(bench));
  });
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
  add_whole(*command, "--batch", options->batch, {.least = 1}, "Sequences per step (default: the preset's)");
  add_text(*command, "--precision", options->precision, "fp32 (default) or bf16")->type_name("NAME");
  add_whole(*command, "--steps", options->steps, {.least = 1, .most = kMostSteps}, "Timed steps");
  add_whole(*command, "--warmup", options->warmup, {.least = 0, .most = kMostSteps}, "Steps before the clock starts");
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
