// phasor evaluate: a trained model's accuracy on its training and test sets.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "phasor/base/error.h"
#include "phasor/train/evaluation.h"
#include "run_folder_options.h"

namespace phasor::app {
namespace {

struct EvaluateOptions {
  RunFolderOptions run;
  DeviceOptions device;
  bool json = false;
};

void run_evaluate(const EvaluateOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open(*backend);
  const RunConfig& config = session.config();
  const Split& data = session.data();
  const Scores train = evaluate(session.model(), data.train, data.train.size(), config.train.batch);
  const Scores test = evaluate(session.model(), data.test, data.test.size(), config.train.batch);
  if (!std::isfinite(train.loss) || !std::isfinite(test.loss)) {
    fail("the loss of '{}' is not finite: its weights are damaged; train it again", options.run.folder);
  }
  if (options.json) {
    const nlohmann::ordered_json json = {
        {"task", config.task},      {"encoding", config.model.encoding}, {"train_accuracy", train.accuracy},
        {"train_loss", train.loss}, {"train_samples", train.scored},     {"test_accuracy", test.accuracy},
        {"test_loss", test.loss},   {"test_samples", test.scored}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{} on {}\n", config.model.encoding, config.task);
  fmt::print("  train  accuracy {:.4f}  loss {:.6f}  ({} targets)\n", train.accuracy, train.loss, train.scored);
  fmt::print("  test   accuracy {:.4f}  loss {:.6f}  ({} targets)\n", test.accuracy, test.loss, test.scored);
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate", "Accuracy and loss of a trained model on its data");
  auto options = std::make_shared<EvaluateOptions>();
  options->run.add_to(*command);
  options->device.add_to(*command);
  command->add_flag("--json", options->json, "Print an object instead of a table");
  command->footer(
      "Examples:\n"
      "  phasor evaluate runs/rope\n"
      "  phasor evaluate runs/rope --step 500        needs a run with --set train.snapshots=500\n"
      "Both sets are made again from the run's config.json; all of their samples count.");
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace phasor::app
