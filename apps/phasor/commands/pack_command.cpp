// phasor pack: finished runs without what takes room.
#include <memory>

#include "commands/commands.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/study/carry_out/pack_run.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

void run_pack(const std::string& folder) {
  int64_t before = 0, after = 0;
  const auto [runs, unmeasured] = runs_to_pack(folder);
  for (const std::filesystem::path& run : runs) {
    const PackedRun packed = pack_run(run);
    before += packed.bytes_before;
    after += packed.bytes_after;
  }
  print_out("{} {} packed: {:.1f} MB before, {:.1f} MB now\n", runs.size(), runs.size() == 1 ? "run" : "runs",
            1e-6 * static_cast<double>(before), 1e-6 * static_cast<double>(after));
  if (!unmeasured.empty()) {
    print_out("{} not packed: the study has measures to make of {}; resume it first\n", unmeasured.size(),
              unmeasured.size() == 1 ? "it" : "them");
  }
}

}  // namespace

void add_pack_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("pack", "Remove weights and states from finished runs; their numbers stay");
  auto folder = std::make_shared<std::string>();
  add_text(*command, "folder", *folder, "A run, or a folder of runs such as a study")->type_name("DIR")->required();
  command->footer(
      "Examples:\n"
      "  phasor pack runs/quick           a study, to be archived\n"
      "result.json records what was removed. Reports and summaries stay the same;\n"
      "evaluate, ablate, spectrum and export need the weights, and 'phasor train --config RUN/config.json' makes them "
      "again.");
  command->callback([folder] { run_pack(*folder); });
}

}  // namespace phasor::app
