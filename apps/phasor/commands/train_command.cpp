// phasor train: one run, from a configuration to a complete folder.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/commands.h"
#include "options/run_options.h"
#include "options/typed_options.h"
#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/base/notice.h"
#include "phasor/base/threads.h"
#include "phasor/run/config_json.h"
#include "phasor/run/finished_run.h"
#include "phasor/run/open_run.h"
#include "phasor/run/run_cost.h"
#include "phasor/run/run_start.h"
#include "phasor/run/session.h"
#include "phasor/run/settings_text.h"
#include "phasor/run/training_start.h"
#include "phasor/task/task_output.h"
#include "phasor/train/trainer.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"
#include "terminal/training_progress.h"

namespace phasor::app {
namespace {

constexpr int64_t kMostSteps = std::numeric_limits<int32_t>::max();

struct TrainOptions {
  RunOptions run;
  DeviceOptions device;
  std::string out;
  std::string from;                  // a run whose weights training starts from
  std::optional<int64_t> from_step;  // a snapshot of it
  std::optional<int64_t> steps;
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

void run_training(const TrainOptions& options, const RunFolder& folder, const RunConfig& config,
                  const std::optional<TrainingStart>& start) {
  const std::unique_ptr<Backend> backend = options.device.open();
  if (!options.force) {
    require_affordable(run_cost(config), 1, thread_count(), "smaller sizes need less, and --force tries all the same");
  }
  const bool goes_on = folder.exists();
  OpenRun run(folder, config, options.resume);
  if (start && !has_start(folder)) save_start(folder, *start);
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

ConfigBuilder with_steps(ConfigBuilder builder, const TrainOptions& options) {
  if (options.steps) builder.add_option("--steps", "train.steps", fmt::format("{}", *options.steps));
  return builder;
}

bool has_settings(const TrainOptions& options) {
  return !options.run.empty() || options.steps || !options.from.empty();
}

// What --from fixes is no option beside it, and a number of steps has to be chosen.
void check_from(const TrainOptions& options) {
  if (options.from.empty()) {
    if (options.from_step) fail_usage("--from-step is of --from");
    return;
  }
  const RunOptions& run = options.run;
  for (const auto& [name, value] :
       {std::pair("--task", &run.task), std::pair("--preset", &run.preset), std::pair("--protocol", &run.protocol),
        std::pair("--match-parameters", &run.match)}) {
    if (!value->empty()) fail_usage("{}: --from keeps that of the run", name);
  }
  const auto sets_steps = [](const std::string& setting) { return setting.rfind("train.steps=", 0) == 0; };
  if (!options.steps && std::none_of(run.sets.begin(), run.sets.end(), sets_steps)) {
    fail_usage("--from needs --steps: how many further steps to train, for example --steps 200");
  }
}

// The run's settings, with what the options change of them.
ConfigBuilder builder_from(const TrainOptions& options) {
  const RunFolder source(options.from);
  source.load_config();  // says what is wrong with the folder
  ConfigBuilder builder = with_steps(options.run.builder(source.file("config.json").string()), options);
  builder.add_option("--from", "train.snapshots", "none");
  return builder;
}

ConfigBuilder builder_of(const TrainOptions& options) {
  return options.from.empty() ? with_steps(options.run.builder(), options) : builder_from(options);
}

std::optional<TrainingStart> start_of(const TrainOptions& options) {
  if (options.from.empty()) return std::nullopt;
  return start_from(RunFolder(options.from), options.from_step, builder_from(options).build());
}

// The folder's own configuration. Throws UsageError where the options ask for another value.
RunConfig resumed_config(const RunFolder& folder, const TrainOptions& options,
                         const std::optional<TrainingStart>& start) {
  RunConfig stored = folder.load_config();
  if (!has_settings(options)) return stored;
  const RunConfig asked =
      start ? start->config : with_steps(options.run.builder(folder.file("config.json").string()), options).build();
  require_same_config(folder, stored, asked);
  return stored;
}

void say_start(const TrainingStart& start, const RunConfig& source) {
  for (const std::string& note : swap_notes(start.swap)) say(note + "\n");
  if (start.config.data.seed == source.data.seed) return;
  notice(
      fmt::format("data.seed is {}, and the run was trained with {}: it may have been trained on test samples of this "
                  "one",
                  start.config.data.seed, source.data.seed));
}

// Every setting with where it came from.
std::string dry_run_text(const TrainOptions& options, const RunFolder& folder, const RunConfig& config, bool goes_on) {
  if (options.json) return config_to_json(config);
  std::string text = settings_text(goes_on && options.from.empty()
                                       ? with_steps(options.run.builder(folder.file("config.json").string()), options)
                                       : builder_of(options));
  for (const auto& [key, value] : start_settings(config.start)) text += fmt::format("{} = {}  # --from\n", key, value);
  return text;
}

void run_train(const TrainOptions& options) {
  if (options.keys) {
    const RunConfig config = options.run.builder().build();
    return print_out("{}", options.json ? keys_json(config).dump(2) + "\n" : keys_text(config));
  }
  check_from(options);
  if (options.resume && options.out.empty() && !has_settings(options)) {
    fail_usage("--resume needs --out: the folder of the run");
  }
  const std::optional<TrainingStart> start = start_of(options);
  const auto asked = [&] { return start ? start->config : builder_of(options).build(); };
  const RunFolder folder(options.out.empty() ? default_folder(asked()) : std::filesystem::path(options.out));
  const bool goes_on = options.resume && folder.exists();
  if (options.resume && !goes_on && !has_settings(options)) {
    fail_usage("'{}' contains no run to resume; leave out --resume to start one", folder.path().string());
  }
  const RunConfig config = goes_on ? resumed_config(folder, options, start) : asked();
  resolve_encoding(config.model);  // refuses what does not fit the model before anything is written
  if (options.dry_run) return print_out("{}", dry_run_text(options, folder, config, goes_on));
  if (goes_on && folder.complete()) {
    const FinishedRun run = read_finished_run(folder);  // says what is damaged
    if (run.result.packed.empty()) folder.check_model(config, "model.safetensors");
    sweep_folder(folder.path());
    say(fmt::format("'{}' is complete already\n", folder.path().string()));
    if (options.json) print_out("{}", read_file(folder.file("result.json")));
    return;
  }
  if (start) say_start(*start, RunFolder(options.from).load_config());
  run_training(options, folder, config, start);
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("train", "Train one model and keep it in a run folder");
  auto options = std::make_shared<TrainOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--from", options->from,
           "Start from the trained weights of this run, with its settings: under another encoding with --encoding, for "
           "--steps further steps with a warm-up and a cosine of their own")
      ->type_name("RUN");
  add_whole(*command, "--from-step", options->from_step, {.least = 0},
            "With --from: start from the run's snapshot of this step instead of its end");
  add_whole(*command, "--steps", options->steps, {.least = 1, .most = kMostSteps},
            "Steps of training, as --set train.steps (default: the preset's; --from needs it)");
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
      "  phasor train --from runs/rope --encoding nope --steps 200 --out runs/dropped\n"
      "Ctrl-C saves the state; --resume --out FOLDER continues the run.\n"
      "The folder gets config.json, metrics.jsonl, model.safetensors, state.safetensors and, when the run\n"
      "is complete, result.json: see docs/formats.md.");
  command->callback([options] { run_train(*options); });
}

}  // namespace phasor::app
