// phasor evaluate: a trained model's accuracy on its data, and on sequences longer than those.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "floors_text.h"
#include "phasor/base/error.h"
#include "phasor/train/config_text.h"
#include "phasor/train/evaluation.h"
#include "phasor/train/length_evaluation.h"
#include "phasor/train/metrics.h"
#include "run_folder_options.h"
#include "terminal.h"
#include "usage.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kFloorSamples = 20000;

struct EvaluateOptions {
  RunFolderOptions run;
  DeviceOptions device;
  std::string lengths;
  std::string samples = "4096";
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

void check_finite(const Scores& scores, const EvaluateOptions& options) {
  if (std::isfinite(scores.loss)) return;
  fail("the loss of '{}' is not finite: its weights are damaged; train it again", options.run.folder);
}

void print_scores(const char* set, const Scores& scores, const RunConfig& config) {
  print_out("  {:<11} accuracy {:.4f}  loss {:.6f}  ({} targets)", set, scores.accuracy, scores.loss, scores.scored);
  if (config.model.readout == Readout::every) {
    print_out("  whole answers {:.4f} of {}", scores.whole, scores.answers);
  }
  print_out("\n");
}

void add_scores(Json& json, const std::string& set, const Scores& scores, const RunConfig& config) {
  json[set + "_accuracy"] = scores.accuracy;
  json[set + "_loss"] = scores.loss;
  json[set + "_samples"] = scores.scored;
  if (config.model.readout == Readout::every) json[set + "_whole"] = scores.whole;
}

void evaluate_sets(const EvaluateOptions& options, Session& session) {
  const RunConfig& config = session.config();
  const TaskFloors floors = measure_floors(session.task(), kFloorSamples);
  Json json = {{"task", config.task}, {"encoding", config.model.encoding}};
  if (!options.json) print_out("{} on {} ({})\n", config.model.encoding, config.task, floors_text(floors));
  const auto score = [&](const char* name, const Dataset& set) {
    if (set.size() == 0) return;
    const Scores scores = evaluate(session.model(), set, set.size(), config.train.batch);
    check_finite(scores, options);
    add_scores(json, name, scores, config);
    if (!options.json) print_scores(name, scores, config);
  };
  score("train", session.data().train);
  score("test", session.data().test);
  score("validation", session.data().validation);
  json["floors"] = floors_json(floors);
  if (options.json) print_out("{}\n", json.dump(2));
}

void evaluate_lengths(const EvaluateOptions& options, Session& session) {
  const RunConfig& config = session.config();
  const int64_t samples = read_whole("--samples", options.samples, {.least = 1, .most = 10000000});
  // What cannot be answered is refused before anything is computed.
  std::deque<LengthEvaluation> lengths;
  for (const double factor : read_factors(options.lengths)) lengths.emplace_back(session, factor);
  Json rows = Json::array();
  if (!options.json)
    print_out("{} on {}, trained on up to {} tokens\n", config.model.encoding, config.task, config.model.max_length);
  for (LengthEvaluation& length : lengths) {
    const Scores scores = length.run(samples);
    check_finite(scores, options);
    const TaskFloors floors = measure_floors(length.task(), kFloorSamples);
    Json row = {{"factor", length.factor()}, {"longest", length.longest()}};
    add_scores(row, "test", scores, config);
    row["floors"] = floors_json(floors);
    rows.push_back(row);
    if (options.json) continue;
    print_scores(fmt::format("{:g}x, {}", length.factor(), length.longest()).c_str(), scores, config);
    print_out("              {}\n", floors_text(floors));
  }
  if (!options.json) return;
  const Json json = {{"task", config.task}, {"encoding", config.model.encoding}, {"lengths", rows}};
  print_out("{}\n", json.dump(2));
}

void run_evaluate(const EvaluateOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  if (!options.lengths.empty()) read_factors(options.lengths);
  Session session = options.run.open(*backend);
  if (options.lengths.empty()) {
    evaluate_sets(options, session);
  } else {
    evaluate_lengths(options, session);
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
  add_text(*command, "--samples", options->samples, "Samples at each length")->type_name("N")->capture_default_str();
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
