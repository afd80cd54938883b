// phasor train: one run, from a configuration to a complete folder.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "options/run_options.h"
#include "options/typed_options.h"
#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/base/threads.h"
#include "phasor/run/config_json.h"
#include "phasor/run/finished_run.h"
#include "phasor/run/open_run.h"
#include "phasor/run/run_cost.h"
#include "phasor/run/run_start.h"
#include "phasor/run/session.h"
#include "phasor/run/settings_text.h"
#include "phasor/task/task_output.h"
#include "phasor/train/trainer.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"
#include "terminal/training_progress.h"

namespace phasor::app {
namespace {

struct TrainOptions {
  RunOptions run;
  DeviceOptions device;
  std::string out;
  bool resume = false;
  bool dry_run = false;
  bool keys = false;
  bool json = false;
  bool force = false;
};

void print_result(const RunConfig& config, const RunResult& result, const RunFolder& folder) {
  print_out("{} on {}: test accuracy {:.4f}, train {:.4f}{}, {}; {} steps in {} ({:.0f} tokens/s){}\n",
            config.model.encoding, config.task, result.test.accuracy, result.full_train_accuracy,
            result.last.test_whole ? fmt::format(", whole answers {:.4f}", result.test.whole) : "",
            result.steps_to_90 ? fmt::format("90 % after {} steps", *result.steps_to_90) : "90 % never reached",
            result.last.step, duration(result.seconds), static_cast<double>(result.last.tokens) / result.seconds,
            result.converged ? "" : "; not converged: still improving, or too few evaluations to tell");
  print_out("baselines: {}\n", floors_text(result.floors));
  print_out("run folder: {}\n", folder.path().string());
}

TrainingOutcome train_with_progress(Backend& backend, const RunConfig& config, const RunFolder& folder, OpenRun& run) {
  catch_interrupts();
  if (run.has_begun()) expect_saving();
  TrainingProgress progress(fmt::format("{} on {}", config.model.encoding, config.task), config.train.steps);
  const TrainingCallbacks callbacks{.update = [&](const Progress& p) { progress.update(p); },
                                    .evaluation =
                                        [&](const Metrics& m) {
                                          run.require_claim();
                                          run.begin();
                                          expect_saving();
                                          progress.evaluation(m);
                                        },
                                    .stop = interrupted};
  return train(backend, config, folder, callbacks);
}

void run_training(const TrainOptions& options, const RunFolder& folder, const RunConfig& config) {
  const std::unique_ptr<Backend> backend = options.device.open();
  if (!options.force) {
    require_affordable(run_cost(config), 1, thread_count(), "smaller sizes need less, and --force tries all the same");
  }
  const bool goes_on = folder.exists();
  OpenRun run(folder, config, options.resume);
  TrainingOutcome outcome;
  try {
    outcome = train_with_progress(*backend, config, folder, run);
  } catch (const Cancelled&) {
    fail("interrupted before the first evaluation; {}",
         goes_on ? "the run is as it was before" : "nothing was written");
  } catch (const FormatError& error) {
    if (!goes_on) throw;
    fail("{} (without state.safetensors and metrics.jsonl the run starts over)", error.what());
  } catch (const Error& error) {
    if (!run.has_begun() || !is_full_disk(error.what())) throw;
    fail("{}; make room, then resume with: phasor train --resume --out {}", error.what(), folder.path().string());
  }
  if (outcome.end == TrainingEnd::stopped) {
    fail("interrupted at step {}, state saved; resume with: phasor train --resume --out {}", outcome.step,
         folder.path().string());
  }
  if (options.json) {
    print_out("{}", read_file(folder.file("result.json")));
  } else {
    print_result(config, outcome.result, folder);
  }
}

// The folder's own configuration. Throws UsageError where the options ask for another value.
RunConfig resumed_config(const RunFolder& folder, const RunOptions& options) {
  RunConfig stored = folder.load_config();
  if (options.empty()) return stored;
  require_same_config(folder, stored, options.builder(folder.file("config.json").string()).build());
  return stored;
}

void run_train(const TrainOptions& options) {
  if (options.keys) {
    const RunConfig config = options.run.builder().build();
    return print_out("{}", options.json ? keys_json(config).dump(2) + "\n" : keys_text(config));
  }
  if (options.resume && options.out.empty() && options.run.empty()) {
    fail_usage("--resume needs --out: the folder of the run");
  }
  const RunFolder folder(options.out.empty() ? default_folder(options.run.builder().build())
                                             : std::filesystem::path(options.out));
  const bool goes_on = options.resume && folder.exists();
  if (options.resume && !goes_on && options.run.empty()) {
    fail_usage("'{}' contains no run to resume; leave out --resume to start one", folder.path().string());
  }
  const RunConfig config = goes_on ? resumed_config(folder, options.run) : options.run.builder().build();
  resolve_encoding(config.model);  // refuses what does not fit the model before anything is written
  if (options.dry_run) {
    const ConfigBuilder builder = options.run.builder(goes_on ? folder.file("config.json").string() : "");
    return print_out("{}", options.json ? config_to_json(builder.build()) : settings_text(builder));
  }
  if (goes_on && folder.complete()) {
    const FinishedRun run = read_finished_run(folder);  // says what is damaged
    if (run.result.packed.empty()) folder.check_model(config, "model.safetensors");
    sweep_folder(folder.path());
    say(fmt::format("'{}' is complete already\n", folder.path().string()));
    if (options.json) print_out("{}", read_file(folder.file("result.json")));
    return;
  }
  run_training(options, folder, config);
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("train", "Train one model and keep it in a run folder");
  auto options = std::make_shared<TrainOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--out", options->out,
           "Run folder; must not hold a run yet unless --resume (default: under runs/)")
      ->type_name("FOLDER");
  command->add_flag("--resume", options->resume,
                    "Continue an interrupted run: the same bits as if it had never stopped");
  command->add_flag("--dry-run", options->dry_run, "Print every setting with where it came from, and stop");
  command->add_flag("--keys", options->keys, "List what --set takes, with value, meaning and range, and stop");
  command->add_flag("--json", options->json, "Print result.json at the end instead of a sentence");
  command->add_flag("--force", options->force, "Start even if memory or time may not suffice");
  command->footer(
      "Examples:\n"
      "  phasor train --task distance --encoding rope --out runs/rope\n"
      "  phasor train --encoding alibi --seed 3 --set train.steps=600 --set model.layers=2\n"
      "  phasor train --encoding rope --preset paper --set train.precision=bf16 --dry-run\n"
      "Ctrl-C saves the state; --resume --out FOLDER continues the run.\n"
      "The folder gets config.json, metrics.jsonl, model.safetensors, state.safetensors and, when the run\n"
      "is complete, result.json: see docs/formats.md.");
  command->callback([options] { run_train(*options); });
}

}  // namespace phasor::app
