// phasor evaluate: a trained model's accuracy on its data, on sequences longer than those, and under another encoding.
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "options/length_factors.h"
#include "options/run_folder_options.h"
#include "options/typed_options.h"
#include "phasor/base/error.h"
#include "phasor/run/evaluation_report.h"
#include "phasor/study/swap/swap_evaluation.h"
#include "terminal/terminal.h"

namespace phasor::app {
namespace {

struct EvaluateOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::string lengths, encoding;
  int64_t samples = 4096;
  std::optional<int64_t> damage_samples;
  bool json = false;
};

template <class Evaluation>
void show(const Evaluation& evaluation, bool json) {
  print_out("{}", json ? to_json(evaluation).dump(2) + "\n" : to_text(evaluation));
}

void run_evaluate(const EvaluateOptions& options) {
  if (options.encoding.empty() && options.damage_samples) fail_usage("--damage-samples is of --encoding");
  const std::unique_ptr<Backend> backend = options.device.open();
  const std::vector<double> factors =
      options.lengths.empty() ? std::vector<double>() : read_length_factors(options.lengths);
  Session session = options.run.open(*backend);
  if (!options.encoding.empty()) {
    SwapOptions swap{.samples = options.samples, .run = options.run.folder};
    swap.damage_samples = options.damage_samples.value_or(swap.damage_samples);
    if (!factors.empty()) swap.factors = factors;
    return show(evaluate_swap(session, options.encoding, swap), options.json);
  }
  if (factors.empty()) {
    SetEvaluation evaluation = evaluate_sets(session);
    // What it started from is known to the folder alone.
    if (!session.config().start.empty()) {
      evaluation.learned = learned_tensors(RunFolder(options.run.folder), session.config(), options.run.step);
    }
    show(evaluation, options.json);
  } else {
    show(evaluate_lengths(session, factors, options.samples), options.json);
  }
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "Accuracy and loss of a trained model: on its data, on longer sequences, or under another encoding");
  auto options = std::make_shared<EvaluateOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  add_text(*command, "--lengths", options->lengths,
           "Score sequences of these multiples of the training length, for example 1,1.5,2,4")
      ->type_name("FACTORS");
  add_text(*command, "--encoding", options->encoding,
           "Run the trained weights under another encoding, an expression in which {length} is how many times as long "
           "as in training sequences are, and {trained} the longest of training in tokens")
      ->type_name("TEXT");
  add_whole(*command, "--damage-samples", options->damage_samples, {.least = 0, .most = 100000},
            "With --encoding: sequences at each length by which attention is compared; 0: none (default: 16)");
  add_whole(*command, "--samples", options->samples, {.least = 1, .most = 10000000}, "Samples at each length");
  command->add_flag("--json", options->json, "Print an object instead of a table");
  command->footer(
      "Examples:\n"
      "  phasor evaluate runs/rope\n"
      "  phasor evaluate runs/rope --lengths 1,1.5,2,4\n"
      "  phasor evaluate runs/rope --encoding 'rope(scaling=linear,factor={length})' --lengths 1,2,4\n"
      "  phasor evaluate runs/rope --step 500        needs a run with --set train.snapshots=500\n"
      "The sets are made again from the run's config.json; all of their samples count. With --lengths every sample is\n"
      "longer than training's by as much as the factor says, and its answer stays one that was trained; what the\n"
      "task lengthens is on its card (phasor tasks NAME). With --encoding all numbers stand beside those of the run's\n"
      "own encoding; damage says how far attention moves, head by head: docs/swap.md.");
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace phasor::app
