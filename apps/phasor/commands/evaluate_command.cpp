// phasor evaluate: a trained model's accuracy on its data, and on sequences longer than those.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "options/run_folder_options.h"
#include "options/typed_options.h"
#include "phasor/run/config_text.h"
#include "phasor/run/evaluation_report.h"
#include "phasor/run/length_evaluation.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

struct EvaluateOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::string lengths;
  int64_t samples = 4096;
  bool json = false;
};

std::vector<double> read_factors(const std::string& text) {
  std::vector<double> factors;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    factors.push_back(
        read_real("--lengths", text.substr(begin, comma - begin), {.least = 1.0, .most = kMostLengthFactor}));
    begin = comma + 1;
  }
  return factors;
}

template <class Evaluation>
void show(const Evaluation& evaluation, bool json) {
  print_out("{}", json ? to_json(evaluation).dump(2) + "\n" : to_text(evaluation));
}

void run_evaluate(const EvaluateOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  const std::vector<double> factors = options.lengths.empty() ? std::vector<double>() : read_factors(options.lengths);
  Session session = options.run.open(*backend);
  if (factors.empty()) {
    show(evaluate_sets(session), options.json);
  } else {
    show(evaluate_lengths(session, factors, options.samples), options.json);
  }
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("evaluate", "Accuracy and loss of a trained model on its data, or on longer sequences");
  auto options = std::make_shared<EvaluateOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--lengths", options->lengths,
           "Score sequences of these multiples of the training length, for example 1,1.5,2,4")
      ->type_name("FACTORS");
  add_whole(*command, "--samples", options->samples, {.least = 1, .most = 10000000}, "Samples at each length");
  command->add_flag("--json", options->json, "Print an object instead of a table");
  command->footer(
      "Examples:\n"
      "  phasor evaluate runs/rope\n"
      "  phasor evaluate runs/rope --lengths 1,1.5,2,4\n"
      "  phasor evaluate runs/rope --step 500        needs a run with --set train.snapshots=500\n"
      "The sets are made again from the run's config.json; all of their samples count. With --lengths every sample is\n"
      "longer than training's by as much as the factor says, and its answer stays one that was trained; what the\n"
      "task lengthens is on its card (phasor tasks NAME).");
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace phasor::app
