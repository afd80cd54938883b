#include "commands/ablate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/ablation/ablation_text.h"
#include "phasor/ablation/snapshot_timeline.h"
#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/seal.h"
#include "phasor/base/shell_text.h"
#include "phasor/run/config_text.h"
#include "terminal/interrupt.h"
#include "terminal/terminal.h"
#include "terminal/work_progress.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string folder_of(const AblateOptions& options, const RunFolderOptions& run) {
  return options.out.empty() ? run.folder : options.out;
}

[[noreturn]] void stop(const std::string& folder) {
  fail("interrupted; the scores so far are kept; rerun the command to resume '{}'", folder);
}

}  // namespace

AblationOptions AblateOptions::read(int64_t batch) const {
  AblationOptions read;
  read.sweep.methods = parse_methods(methods);
  read.sweep.samples = samples;
  read.sweep.draws = draws;
  read.sweep.seed = seed;
  read.sweep.batch = std::min(batch, kAblationBatch);
  read.replace = replace;
  return read;
}

std::string ablation_stem(const RunFolderOptions& run) { return phasor::ablation_stem(run.step); }

RunAblation ablate_folder(const AblateOptions& options, const RunFolderOptions& run, const std::string& label,
                          std::string announced) {
  const std::unique_ptr<Backend> backend = options.device.open();
  options.read(kAblationBatch);  // what is wrong with the options comes before long work
  Session session = run.open(*backend);
  const RunConfig& config = session.config();
  const std::string folder = folder_of(options, run);
  const SnapshotStep snapshot = run.step;
  prepare_directory(folder);
  const FolderClaim claim(folder);
  remove_abandoned_files(folder);
  catch_interrupts();
  std::optional<RunAblation> ablation;
  {
    WorkProgress line(label);
    const auto progress = [&](std::string_view what, double share) {
      if (!announced.empty()) say(std::exchange(announced, {}));
      line.update(what, share);
      return !interrupted();
    };
    try {
      ablation = ablate_to_files(session, folder, snapshot, options.read(config.train.batch), progress);
    } catch (const Cancelled&) {
      stop(run.folder);
    }
  }
  if (!ablation) stop(run.folder);
  if (ablation->taken_over > 0) {
    say(fmt::format("{}: {} of {} samples had been measured before\n", label, ablation->taken_over,
                    ablation->scores.samples));
  }
  return std::move(*ablation);
}

namespace {

// What else a person may want of this run, and what there is of it already.
std::string other_options(const AblateOptions& options, const RunConfig& config, const SweepOptions& measured) {
  const RunFolderOptions& run = options.run;
  std::vector<std::pair<std::string, std::string>> lines;
  const auto command = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"ablate", run.folder};
    if (run.step) words.insert(words.end(), {"--step", std::to_string(*run.step)});
    words.insert(words.end(), more.begin(), more.end());
    return shell_text(words);
  };
  const auto there = [&](const std::string& file) {
    return fs::exists(fs::path(run.folder) / file) ? "; is there: " + file : std::string();
  };
  const SweepOptions usual;
  if (measured.methods != usual.methods || measured.samples != usual.samples) {
    lines.emplace_back(command({"--methods", "all", "--samples", std::to_string(usual.samples), "--replace"}),
                       "the usual measurement in place of this one (--out FOLDER: beside it)");
  }
  if (!options.clauses) lines.emplace_back(command({"--clauses"}), "the same with every clause of the verdicts");
  lines.emplace_back(command({"--as-published"}),
                     "as the released code ablates" + there(ablation_stem(run) + "_published.json"));
  if (!run.step && !config.train.snapshots.empty()) {
    lines.emplace_back(command({"--snapshots"}),
                       fmt::format("{} snapshots: when the pattern forms{}", config.train.snapshots.size(),
                                   there("ablation_snapshots.json")));
  }
  size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.first.size());
  std::string text;
  for (const auto& [words, what] : lines) text += fmt::format("  {:<{}}  {}\n", words, width, what);
  return text;
}

// More may be asked for than there are.
SweepOptions of_samples(SweepOptions asked, int64_t there) {
  asked.samples = std::min(asked.samples, there);
  return asked;
}

// False where there is nothing to show.
bool show_stored(const AblateOptions& options) {
  const RunConfig config = RunFolder(options.run.folder).load_config();
  const std::optional<FinishedAblation> found = load_ablation(options.run.folder, options.run.step, config);
  if (!found) return false;
  const fs::path stem = fs::path(options.run.folder) / ablation_stem(options.run);
  if (options.json) {
    print_out("{}", read_file(stem.string() + ".json"));
    return true;
  }
  print_out("{}", ablation_text(config, found->ablation, {.step = options.run.step, .clauses = options.clauses}));
  print_out("\nread from {}.json, .csv, .safetensors; nothing was measured anew ({})\nmore of it:\n", stem.string(),
            sweep_text(of_samples(found->sweep, found->ablation.scores.samples)));
  print_out("{}", other_options(options, config, found->sweep));
  return true;
}

}  // namespace

void run_ablate(const AblateOptions& options) {
  std::string announced;
  if (!options.asked && options.out.empty()) {
    if (show_stored(options)) return;
    const int64_t there = RunFolder(options.run.folder).load_config().data.test_samples;
    announced = fmt::format("ablate: '{}' has no finished ablation; measuring {}\n", options.run.folder,
                            sweep_text(of_samples(options.read(kAblationBatch).sweep, there)));
  }
  const RunAblation ablation = ablate_folder(options, options.run, "ablate", announced);
  const std::string folder = folder_of(options, options.run), stem = ablation_stem(options.run);
  if (options.json) {
    print_out("{}", read_file(fs::path(folder) / (stem + ".json")));
    return;
  }
  print_out("{}", ablation_text(RunFolder(options.run.folder).load_config(), ablation,
                                {.step = options.run.step, .clauses = options.clauses}));
  print_out("\nwritten: {}.json, .csv, .safetensors\n", (fs::path(folder) / stem).string());
}

void run_ablate_as_published(const AblateOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open(*backend);
  const RunConfig& config = session.config();
  const std::string folder = folder_of(options, options.run), stem = ablation_stem(options.run) + "_published";
  prepare_directory(folder);
  const FolderClaim claim(folder);
  remove_abandoned_files(folder);
  catch_interrupts();
  std::optional<PublishedAblation> ablation;
  {
    WorkProgress line("ablate as published");
    ablation = ablate_as_published_to_file(session, folder, options.run.step, [&](double share) {
      line.update("heads", share);
      return !interrupted();
    });
  }
  if (!ablation) fail("interrupted; nothing was written");
  if (options.json) {
    print_out("{}", read_file(fs::path(folder) / (stem + ".json")));
    return;
  }
  print_out("{} on {}, as the released code at commit ffe3159 ablates: {} training and test samples together,\n",
            config.model.encoding, config.task, ablation->samples);
  print_out("{}; accuracy in %, intact {:.1f}\n",
            ablation->latent ? "columns of latents, which all heads read, in place of heads"
                             : "the last head of every earlier layer still off",
            100.0 * ablation->baseline);
  print_out("{}", published_table(*ablation));
  if (ablation->without_effect > 0) {
    print_out("{} of {} turns of each layer change nothing: the latents have no such columns\n",
              ablation->without_effect, config.model.heads);
  }
  print_out("No verdict follows from this: 'phasor ablate {}' measures heads alone on held-out samples.\n",
            options.run.folder);
  print_out("\nwritten: {}.json\n", (fs::path(folder) / stem).string());
}

void run_ablate_snapshots(const AblateOptions& options) {
  if (options.run.step) fail_usage("--snapshots measures all of them: it does not go with --step");
  const RunFolder folder(options.run.folder);
  const RunConfig config = folder.load_config();
  if (config.train.snapshots.empty()) {
    fail_usage("'{}' has no snapshots; train with --set train.snapshots=50,100,200,400", options.run.folder);
  }
  std::vector<RunFolderOptions> steps;
  for (const int64_t step : config.train.snapshots) {
    if (step < config.train.steps) steps.push_back({.folder = options.run.folder, .step = step});
  }
  steps.push_back({.folder = options.run.folder, .step = std::nullopt});
  std::vector<SnapshotAblation> rows;
  for (size_t i = 0; i < steps.size(); ++i) {
    const int64_t step = steps[i].step.value_or(config.train.steps);
    const std::string label = fmt::format("ablate step {} ({} of {})", step, i + 1, steps.size());
    rows.push_back({step, ablate_folder(options, steps[i], label)});
  }
  Json json = {{"format", kAblationFormat}, {"kind", "snapshots"}, {"source", write_json(ablation_source(config))}};
  json["snapshots"] = timeline_json(rows);
  const fs::path path = fs::path(folder_of(options, options.run)) / "ablation_snapshots.json";
  write_file_atomically(path, sealed(json.dump(2) + "\n"));
  if (options.json) {
    print_out("{}\n", json.dump(2));
    return;
  }
  print_out("{} on {}, seed {}: when do heads take their part?\n{}\nwritten: {}\n", config.model.encoding, config.task,
            config.seed, timeline_text(rows), path.string());
}

}  // namespace phasor::app
