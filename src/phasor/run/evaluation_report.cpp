#include "phasor/run/evaluation_report.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/beyond.h"
#include "phasor/run/length_evaluation.h"
#include "phasor/task/task_output.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kFloorSamples = 20000;
constexpr size_t kLineWidth = 100;

Scores finite(const Scores& scores) {
  if (!std::isfinite(scores.loss)) fail("the loss is not finite: the weights are damaged; train the run again");
  return scores;
}

std::string scores_line(const std::string& set, const Scores& scores, bool whole_answers) {
  std::string text = fmt::format("  {:<11} accuracy {:.4f}  loss {:.6f}  ({} targets)", set, scores.accuracy,
                                 scores.loss, scores.scored);
  if (whole_answers) text += fmt::format("  whole answers {:.4f} of {}", scores.whole, scores.answers);
  return text + "\n";
}

void add_scores(Json& json, const std::string& set, const Scores& scores, bool whole_answers) {
  json[set + "_accuracy"] = scores.accuracy;
  json[set + "_loss"] = scores.loss;
  json[set + "_samples"] = scores.scored;
  if (whole_answers) json[set + "_whole"] = scores.whole;
}

}  // namespace

SetEvaluation evaluate_sets(Session& session) {
  const RunConfig& config = session.config();
  SetEvaluation result{.task = config.task,
                       .encoding = config.model.encoding,
                       .whole_answers = config.model.readout == Readout::every,
                       .floors = measure_floors(session.task(), kFloorSamples)};
  const auto score = [&](const char* name, const Dataset& set) {
    if (set.size() == 0) return;
    result.sets.push_back({name, finite(evaluate(session.model(), set, set.size(), config.train.batch))});
  };
  score("train", session.data().train);
  score("test", session.data().test);
  score("validation", session.data().validation);
  const ResolvedEncoding& encoding = session.model().encoding();
  if (!encoding.parameters.empty()) {
    result.learned =
        learned_tensors(encoding, session.model().layout(), config.seed, session.model().save_parameters());
  }
  return result;
}

LengthsEvaluation evaluate_lengths(Session& session, const std::vector<double>& factors, int64_t samples) {
  const RunConfig& config = session.config();
  LengthsEvaluation result{.task = config.task,
                           .encoding = config.model.encoding,
                           .whole_answers = config.model.readout == Readout::every,
                           .trained_length = config.model.max_length,
                           .beyond = beyond_words(config.model.encoding)};
  std::deque<LengthEvaluation> lengths;
  for (const double factor : factors) lengths.emplace_back(session, factor);
  for (LengthEvaluation& length : lengths) {
    result.lengths.push_back({.factor = length.factor(),
                              .longest = length.longest(),
                              .scores = finite(length.run(samples)),
                              .floors = measure_floors(length.task(), kFloorSamples)});
  }
  return result;
}

std::string to_text(const SetEvaluation& evaluation) {
  std::string text =
      fmt::format("{} on {} ({})\n", evaluation.encoding, evaluation.task, floors_text(evaluation.floors));
  for (const EvaluatedSet& set : evaluation.sets) {
    text += scores_line(set.name, set.scores, evaluation.whole_answers);
  }
  return text + learned_in_short(evaluation.learned);
}

std::string to_text(const LengthsEvaluation& evaluation) {
  std::string text = fmt::format("{} on {}, trained on up to {} tokens\n", evaluation.encoding, evaluation.task,
                                 evaluation.trained_length);
  if (!evaluation.beyond.empty()) {
    text += wrapped(fmt::format("beyond {} tokens: {}", evaluation.trained_length, evaluation.beyond), kLineWidth, 2);
    text += "\n";
  }
  for (const EvaluatedLength& length : evaluation.lengths) {
    text +=
        scores_line(fmt::format("{:g}x, {}", length.factor, length.longest), length.scores, evaluation.whole_answers);
    text += fmt::format("              {}\n", floors_text(length.floors));
  }
  return text;
}

Json to_json(const SetEvaluation& evaluation) {
  Json json = {{"task", evaluation.task}, {"encoding", evaluation.encoding}};
  for (const EvaluatedSet& set : evaluation.sets) add_scores(json, set.name, set.scores, evaluation.whole_answers);
  json["floors"] = write_json(evaluation.floors);
  json["learned"] = write_json(evaluation.learned);
  return json;
}

Json to_json(const LengthsEvaluation& evaluation) {
  Json rows = Json::array();
  for (const EvaluatedLength& length : evaluation.lengths) {
    Json row = {{"factor", length.factor}, {"longest", length.longest}};
    add_scores(row, "test", length.scores, evaluation.whole_answers);
    row["floors"] = write_json(length.floors);
    rows.push_back(row);
  }
  return {
      {"task", evaluation.task}, {"encoding", evaluation.encoding}, {"beyond", evaluation.beyond}, {"lengths", rows}};
}

}  // namespace phasor
