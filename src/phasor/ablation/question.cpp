#include "phasor/ablation/question.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "phasor/task/floors.h"

namespace phasor {
namespace {

constexpr int64_t kFloorSamples = 20000;

// Of the scored answers, in nats.
double entropy_of_answers(const Dataset& data, int64_t samples) {
  std::map<int32_t, int64_t> counts;
  int64_t all = 0;
  for (int64_t i = 0; i < std::min(samples, data.size()); ++i) {
    for (const int32_t target : data.targets(i)) {
      if (target == kNotScored) continue;
      ++counts[target];
      ++all;
    }
  }
  double entropy = 0.0;
  for (const auto& [answer, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(all);
    entropy -= share * std::log(share);
  }
  return entropy;
}

std::vector<std::vector<double>> mean_drops(const ScoreTable& table, AblationMethod method) {
  std::vector<std::vector<double>> drops;
  for (int64_t l = 0; l < table.layers; ++l) {
    drops.emplace_back();
    for (int64_t h = 0; h < table.heads; ++h) {
      drops.back().push_back(table.mean_loss_drop({l, method, AblationExtent::alone, h}));
    }
  }
  return drops;
}

}  // namespace

std::string_view name(Question question) { return question == Question::importance ? "importance" : "position"; }

AblationMethod judged_method(Question question) {
  return question == Question::importance ? AblationMethod::zero : AblationMethod::position_off;
}

std::vector<AblationMethod> other_methods(Question question) {
  if (question == Question::importance) return {AblationMethod::mean, AblationMethod::resample};
  return {AblationMethod::position_shuffled};
}

AnswerContext answer_context(const Task& task, AnswerKind answer, const Dataset& data, int64_t samples) {
  const TaskFloors floors = measure_floors(task, kFloorSamples);
  return {.floor_accuracy = std::max({floors.chance, floors.constant, floors.length}),
          .guess_loss = answer == AnswerKind::number ? 1.0 : entropy_of_answers(data, samples)};
}

std::optional<RunEvidence> evidence(const ScoreTable& table, Question question, const AnswerContext& context) {
  const AblationMethod judged = judged_method(question);
  if (!table.has({0, judged, AblationExtent::whole, -1})) return std::nullopt;
  RunEvidence evidence;
  for (int64_t l = 0; l < table.layers; ++l) evidence.layers.push_back(table.drops(l, judged));
  for (const AblationMethod method : other_methods(question)) {
    if (!table.has({0, method, AblationExtent::alone, 0})) {
      evidence.unmeasured.emplace_back(name(method));
      continue;
    }
    evidence.others.push_back({std::string(name(method)), mean_drops(table, method)});
  }
  evidence.samples = table.samples;
  evidence.correct = std::llround(table.intact_accuracy() * static_cast<double>(table.samples));
  evidence.floor_accuracy = context.floor_accuracy;
  evidence.knowledge = context.guess_loss - table.intact_loss();
  return evidence;
}

}  // namespace phasor
