// phasor train: one run, from a configuration to a complete folder.
#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "interrupt.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/train/config_json.h"
#include "phasor/train/trainer.h"
#include "progress.h"
#include "run_options.h"

namespace phasor::app {
namespace {

struct TrainOptions {
  RunOptions run;
  DeviceOptions device;
  std::string out;
  bool resume = false;
  bool dry_run = false;
  bool json = false;
};

void print_dry_run(const ConfigBuilder& builder) {
  const std::vector<ConfigLine> lines = builder.explain();
  size_t key_width = 0, value_width = 0;
  for (const ConfigLine& line : lines) {
    key_width = std::max(key_width, line.key.size());
    value_width = std::max(value_width, line.value.size());
  }
  for (const ConfigLine& line : lines) {
    fmt::print("{:<{}}  {:<{}}  # {}\n", line.key, key_width, line.value, value_width, line.source);
  }
}

// runs/distance-rope-seed0-1a2b3c4d: readable, and different for every configuration.
std::string default_folder(const RunConfig& config) {
  std::string encoding;
  for (const char c : config.model.encoding) encoding += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return fmt::format("runs/{}-{}-seed{}-{}", config.task, encoding.substr(0, 40), config.seed,
                     config_id(config).substr(0, 8));
}

// The folder's own configuration, checked against what was asked for now.
RunConfig resumed_config(const RunFolder& folder, const TrainOptions& options) {
  const RunConfig stored = folder.load_config();
  if (options.run.empty()) return stored;
  const RunConfig asked = options.run.builder().build();
  if (canonical_text(asked) == canonical_text(stored)) return stored;
  std::istringstream a(canonical_text(stored)), b(canonical_text(asked));
  std::string before, now;
  while (std::getline(a, before) && std::getline(b, now) && before == now) {
  }
  fail_usage("'{}' was started with {}, not {}; resume without options to keep its configuration",
             folder.path().string(), before, now);
}

void print_result(const RunConfig& config, const RunResult& result, const RunFolder& folder) {
  fmt::print("{} on {}: test accuracy {:.4f}, train {:.4f}, {}; {} steps in {} ({:.0f} tokens/s){}\n",
             config.model.encoding, config.task, result.last.test_accuracy, result.full_train_accuracy,
             result.steps_to_90 ? fmt::format("90 % after {} steps", *result.steps_to_90) : std::string("90 % never reached"),
             result.last.step, duration(result.seconds), static_cast<double>(result.last.tokens) / result.seconds,
             result.converged ? "" : "; not converged: still improving at the end");
  fmt::print("run folder: {}\n", folder.path().string());
}

void run_train(const TrainOptions& options) {
  if (options.dry_run) {
    print_dry_run(options.run.builder());
    return;
  }
  const bool asked_folder = !options.out.empty();
  if (options.resume && !asked_folder && options.run.empty()) fail_usage("--resume needs --out: the folder to go on with");
  RunConfig config;
  RunFolder folder(options.out);
  if (options.resume && asked_folder && folder.exists()) {
    config = resumed_config(folder, options);
  } else {
    config = options.run.builder().build();
    if (!asked_folder) folder = RunFolder(default_folder(config));
  }
  if (options.resume && folder.complete()) {
    fmt::print(stderr, "'{}' is complete already\n", folder.path().string());
    if (options.json) fmt::print("{}", read_file(folder.file("result.json")));
    return;
  }
  const std::unique_ptr<Backend> backend = options.device.open();
  if (!(options.resume && folder.exists())) folder.create(config);

  catch_interrupts();
  ProgressLine progress(fmt::format("{} on {}", config.model.encoding, config.task));
  const TrainingCallbacks callbacks{.update = [&](const Progress& p) { progress.update(p); },
                                    .evaluation = [&](const Metrics& m) { progress.evaluation(m); },
                                    .stop = interrupted};
  TrainingOutcome outcome;
  try {
    outcome = train(*backend, config, folder, callbacks);
  } catch (...) {
    progress.close();
    throw;
  }
  progress.close();
  if (outcome.end == TrainingEnd::stopped) {
    fail("interrupted at step {}, state saved; go on with: phasor train --resume --out {}", outcome.step,
         folder.path().string());
  }
  if (options.json) {
    fmt::print("{}", read_file(folder.file("result.json")));
  } else {
    print_result(config, outcome.result, folder);
  }
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("train", "Train one model and keep it in a run folder");
  auto options = std::make_shared<TrainOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  command->add_option("--out", options->out, "Run folder; must not hold a run yet unless --resume (default: under runs/)");
  command->add_flag("--resume", options->resume, "Go on with an interrupted run: the same bits as if it had never stopped");
  command->add_flag("--dry-run", options->dry_run, "Print every setting with where it came from, and stop");
  command->add_flag("--json", options->json, "Print result.json at the end instead of a sentence");
  command->footer("Examples:\n"
                  "  phasor train --task distance --encoding rope --out runs/rope\n"
                  "  phasor train --encoding alibi --seed 3 --set train.steps=600 --set model.layers=2\n"
                  "  phasor train --encoding rope --preset paper --set train.precision=bf16 --dry-run\n"
                  "Ctrl-C saves the state; --resume --out FOLDER goes on.\n"
                  "The folder gets config.json, metrics.jsonl, model.safetensors, state.safetensors and, when the run\n"
                  "is complete, result.json.");
  command->callback([options] { run_train(*options); });
}

}  // namespace phasor::app
