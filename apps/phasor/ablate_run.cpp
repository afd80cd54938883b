#include "ablate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ablation_text.h"
#include "interrupt.h"
#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/folder_claim.h"
#include "phasor/base/seal.h"
#include "phasor/train/config_text.h"
#include "share_line.h"
#include "spectrum_files.h"
#include "terminal.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string folder_of(const AblateOptions& options, const RunFolderOptions& run) {
  return options.out.empty() ? run.folder : options.out;
}

void write_json(const fs::path& path, const Json& json) { write_file_atomically(path, sealed(json.dump(2) + "\n")); }

SnapshotStep snapshot_of(const RunFolderOptions& run) {
  return run.step.empty() ? SnapshotStep() : read_whole("--step", run.step, {.least = 0});
}

[[noreturn]] void stop(const std::string& folder) {
  fail("interrupted; the scores so far are kept: the same command goes on with '{}'", folder);
}

std::string title(const RunConfig& config, const RunAblation& ablation, const RunFolderOptions& run) {
  return fmt::format(
      "{} on {}, protocol {}, seed {}{}: {} held-out samples, accuracy {:.1f} % (floor {:.1f} %), loss {:.3f}",
      config.model.encoding, config.task, config.protocol, config.seed,
      run.step.empty() ? "" : fmt::format(", step {}", run.step), ablation.scores.samples,
      100.0 * ablation.scores.intact_accuracy(), 100.0 * ablation.context.floor_accuracy,
      ablation.scores.intact_loss());
}

void print_ablation(const AblateOptions& options, const RunAblation& ablation, const RunConfig& config) {
  print_out("{}\n", title(config, ablation, options.run));
  for (const Question question : {Question::position, Question::importance}) {
    const std::optional<RunVerdict>& verdict = ablation.verdict(question);
    if (!verdict) {
      print_out("\n{}: not judged without the method {}\n", name(question), name(judged_method(question)));
      continue;
    }
    print_out("\n{}{}", heat_map(ablation, question, config.model.answer),
              verdict_text(*verdict, question, options.clauses));
  }
  print_out("\nhabits of heads (beside: if attention were even)\n{}", habits_table(ablation.habits));
  print_out("\naccuracy in % with the positional part p taken out of the stream that enters a layer\n{}",
            removal_table(ablation.removal));
}

}  // namespace

AblationOptions AblateOptions::read(int64_t batch) const {
  AblationOptions read;
  read.sweep.methods = parse_methods(methods);
  read.sweep.samples = read_whole("--samples", samples, {.least = 20, .most = 10000000});
  read.sweep.draws = read_whole("--draws", draws, {.least = 1, .most = 1000});
  read.sweep.seed = read_seed("--seed", seed);
  read.sweep.batch = std::min(batch, kAblationBatch);
  read.replace = replace;
  return read;
}

std::string ablation_stem(const RunFolderOptions& run) { return phasor::ablation_stem(snapshot_of(run)); }

RunAblation ablate_folder(const AblateOptions& options, const RunFolderOptions& run, const std::string& label) {
  const std::unique_ptr<Backend> backend = options.device.open();
  options.read(kAblationBatch);  // what is wrong with the options comes before long work
  Session session = run.open(*backend);
  const RunConfig& config = session.config();
  const std::string folder = folder_of(options, run);
  const SnapshotStep snapshot = snapshot_of(run);
  prepare_folder(folder);
  const FolderClaim claim(folder);
  remove_abandoned_files(folder);
  catch_interrupts();
  std::optional<RunAblation> ablation;
  {
    ShareLine line(label);
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
    say_progress(fmt::format("{}: {} of {} samples had been measured before", label, ablation->taken_over,
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
  print_ablation(options, ablation, RunFolder(options.run.folder).load_config());
  print_out("\nwritten: {}.json, .csv, .safetensors\n", (fs::path(folder) / stem).string());
}

void run_ablate_as_published(const AblateOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open(*backend);
  const RunConfig& config = session.config();
  const std::string folder = folder_of(options, options.run), stem = ablation_stem(options.run) + "_published";
  prepare_folder(folder);
  const FolderClaim claim(folder);
  remove_abandoned_files(folder);
  catch_interrupts();
  std::optional<PublishedAblation> ablation;
  {
    ShareLine line("ablate as published");
    ablation = ablate_as_published_to_file(session, folder, snapshot_of(options.run), [&](double share) {
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

namespace {

struct SnapshotRow {
  int64_t step = 0;
  RunAblation ablation;
};

// The head that the finished model's verdict is about, and what share it has at an earlier step.
double share_of(const RunAblation& ablation, Question question, int64_t layer, int64_t head) {
  const std::optional<RunVerdict>& verdict = ablation.verdict(question);
  const LayerEffect& effect = verdict->layers[static_cast<size_t>(layer)].effect;
  return effect.shares.defined ? effect.shares.shares[static_cast<size_t>(head)] : std::nan("");
}

void print_timeline(const std::vector<SnapshotRow>& rows, Question question) {
  const RunVerdict& last = *rows.back().ablation.verdict(question);
  const int64_t layer = last.layer, head = last.layers[static_cast<size_t>(layer)].effect.top;
  print_out("\n{} ({}): the finished model's head is {}.{}\n", name(question), name(judged_method(question)), layer,
            head);
  print_out("{:>8}  {:>9}  {:>12}  {:>11}  {:>9}  {:>15}  {}\n", "step", "accuracy", "layer, nats", "max share", "N2",
            "share of final", "verdict of the layer");
  for (const SnapshotRow& row : rows) {
    const LayerVerdict& at = row.ablation.verdict(question)->layers[static_cast<size_t>(layer)];
    print_out("{:>8}  {:>9.1f}  {:>12.3f}  {:>11.2f}  {:>9.2f}  {:>15.2f}  {}\n", row.step,
              100.0 * row.ablation.scores.intact_accuracy(), at.effect.layer.value, at.effect.max_share.value,
              at.effect.n2.value, share_of(row.ablation, question, layer, head), name(at.verdict));
  }
}

Json timeline_json(const std::vector<SnapshotRow>& rows) {
  Json list = Json::array();
  for (const SnapshotRow& row : rows) {
    Json entry = {{"step", row.step}, {"accuracy", row.ablation.scores.intact_accuracy()}};
    for (const Question question : {Question::position, Question::importance}) {
      if (row.ablation.verdict(question)) entry[name(question)] = to_json(*row.ablation.verdict(question));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

void run_ablate_snapshots(const AblateOptions& options) {
  if (!options.run.step.empty()) fail_usage("--snapshots measures all of them: it does not go with --step");
  const RunFolder folder(options.run.folder);
  const RunConfig config = folder.load_config();
  if (config.train.snapshots.empty()) {
    fail_usage("'{}' has no snapshots; train with --set train.snapshots=50,100,200,400", options.run.folder);
  }
  std::vector<RunFolderOptions> steps;
  for (const int64_t step : config.train.snapshots) {
    if (step < config.train.steps) steps.push_back({.folder = options.run.folder, .step = fmt::format("{}", step)});
  }
  steps.push_back({.folder = options.run.folder, .step = ""});
  std::vector<SnapshotRow> rows;
  for (size_t i = 0; i < steps.size(); ++i) {
    const int64_t step = steps[i].step.empty() ? config.train.steps : read_whole("--step", steps[i].step, {.least = 0});
    const std::string label = fmt::format("ablate step {} ({} of {})", step, i + 1, steps.size());
    rows.push_back({step, ablate_folder(options, steps[i], label)});
  }
  Json json = {{"format", kAblationFormat}, {"kind", "snapshots"}, {"source", ablation_source(config)}};
  json["snapshots"] = timeline_json(rows);
  const fs::path path = fs::path(folder_of(options, options.run)) / "ablation_snapshots.json";
  write_json(path, json);
  if (options.json) {
    print_out("{}\n", json.dump(2));
    return;
  }
  print_out("{} on {}, seed {}: when do heads take their part?\n", config.model.encoding, config.task, config.seed);
  for (const Question question : {Question::position, Question::importance}) {
    if (rows.back().ablation.verdict(question)) print_timeline(rows, question);
  }
  print_out("\nwritten: {}\n", path.string());
}

}  // namespace phasor::app
