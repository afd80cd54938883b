// phasor stability: how smoothly a run trained, how sharply its loss bends, how fast it could have trained.
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "options/run_folder_options.h"
#include "options/typed_options.h"
#include "phasor/train/stability_report.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

struct StabilityOptions {
  RunFolderOptions run;
  DeviceOptions device;
  StabilityReportOptions report;
  bool json = false;
};

void run_stability(const StabilityOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open_for_gradients(*backend);
  const StabilityReport report = measure_stability(RunFolder(options.run.folder), session, options.report,
                                                   [](const RateTrial& trial) { say(to_text(trial)); });
  print_out("{}", options.json ? to_json(report).dump(2) + "\n" : to_text(report));
}

}  // namespace

void add_stability_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "stability", "How steadily a run trained: loss spikes, gradient norms, top Hessian eigenvalue, largest rate");
  auto options = std::make_shared<StabilityOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_whole(*command, "--samples", options->report.samples, {.least = 1, .most = 10000000},
            "Training samples for the Hessian");
  add_whole(*command, "--iterations", options->report.hessian.max_iterations, {.least = 1, .most = 1000000},
            "Maximum number of power iterations");
  command->add_flag("--largest-lr", options->report.largest_rate,
                    "Also search the largest learning rate that trains, by short trainings");
  add_whole(*command, "--steps", options->report.search.steps, {.least = 20, .most = 1000000},
            "Length of these trainings");
  command->add_flag("--json", options->json, "Print an object instead of a table");
  command->footer(
      "Examples:\n"
      "  phasor stability runs/rope\n"
      "  phasor stability runs/rope --largest-lr --json\n"
      "  phasor stability runs/rope --step 0         the Hessian at the first weights; needs train.snapshots=0\n"
      "An eigenvalue lies within the printed residual, plus the error of the finite differences.");
  command->callback([options] { run_stability(*options); });
}

}  // namespace phasor::app
