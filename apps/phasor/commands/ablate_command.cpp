// phasor ablate: which heads matter, where position lives, and whether one head holds it all.
#include <fmt/format.h>

#include "commands/ablate_run.h"
#include "commands/ablate_study.h"
#include "commands/commands.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"

namespace phasor::app {
namespace {

void run_any(const AblateOptions& options) {
  const int64_t modes = (options.as_published ? 1 : 0) + (options.snapshots ? 1 : 0);
  if (modes > 1) fail_usage("--as-published and --snapshots do not go together");
  const bool run = RunFolder(options.run.folder).exists();
  const AblateOptions usual;
  const bool sweeps = options.methods != usual.methods || options.samples != usual.samples ||
                      options.draws != usual.draws || options.seed != usual.seed;
  if (options.as_published && sweeps) {
    fail_usage("--as-published has a way of its own: --methods, --samples, --draws and --seed do not go with it");
  }
  if (run && !options.against.empty()) fail_usage("--against compares encodings: it takes a folder of runs");
  if (!run && modes > 0)
    fail_usage("'{}' is no run folder: --as-published and --snapshots take one", options.run.folder);
  if (options.as_published) {
    run_ablate_as_published(options);
  } else if (options.snapshots) {
    run_ablate_snapshots(options);
  } else if (run) {
    run_ablate(options);
  } else {
    run_ablate_study(options);
  }
}

}  // namespace

void add_ablate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "ablate", "Which heads matter and where position lives: heads switched off one by one, with a verdict");
  auto options = std::make_shared<AblateOptions>();
  options->run.add_to(*command, "a run folder made by 'phasor train', or a folder of run folders");
  options->device.add_to(*command);
  add_text(*command, "--methods", options->methods, "What takes a head's place, for example zero,position_off")
      ->type_name("NAMES")
      ->capture_default_str();
  add_whole(*command, "--samples", options->samples, {.least = 20, .most = 10000000}, "Held-out samples");
  add_whole(*command, "--draws", options->draws, {.least = 1, .most = 1000},
            "Random draws for resample and position_shuffled");
  add_seed(*command, "--seed", options->seed, "Seed of these draws");
  command->add_flag("--snapshots", options->snapshots, "Every snapshot of the run: when does the pattern form?");
  command->add_flag("--as-published", options->as_published,
                    "As the released code ablates: accuracy on training and test data, the last head of earlier layers "
                    "still off, latents for MLA");
  add_text(*command, "--against", options->against,
           "In a folder of runs: the encoding that others are compared with (default: nope)")
      ->type_name("ENCODING");
  command->add_flag("--replace", options->replace, "Overwrite an ablation made with other options");
  command->add_flag("--clauses", options->clauses, "Show every clause of a verdict with its number");
  add_text(*command, "--out", options->out, "Where to write (default: the run folder)")->type_name("FOLDER");
  command->add_flag("--json", options->json, "Print the JSON file instead of tables");
  std::string methods = "Methods, all at the input of W_O:\n";
  for (const AblationMethod method : all_methods())
    methods += fmt::format("  {:<18} {}\n", name(method), meaning(method));
  command->footer(
      "Examples:\n"
      "  phasor ablate runs/rope                     shows the ablation that is there, or measures one\n"
      "  phasor ablate runs/rope --snapshots         needs a run with --set train.snapshots=50,100,200\n"
      "  phasor ablate runs                          every run below; verdicts per encoding over seeds\n"
      "  phasor ablate runs/rope --as-published\n" +
      methods +
      "Ctrl-C keeps what is measured (not with --as-published); rerun the command to resume. Verdicts: "
      "docs/ablation.md.");
  command->callback([options, command] {
    for (const char* option : {"--methods", "--samples", "--draws", "--seed", "--replace"}) {
      options->asked = options->asked || command->get_option(option)->count() > 0;
    }
    run_any(*options);
  });
}

}  // namespace phasor::app
