#include "commands/ablate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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

RunAblation ablate_folder(const AblateOptions& options, const RunFolderOptions& run, const std::string& label) {
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

void run_ablate(const AblateOptions& options) {
  const RunAblation ablation = ablate_folder(options, options.run, "ablate");
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
