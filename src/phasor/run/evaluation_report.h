#pragma once
// What 'phasor evaluate' says: a model's scores on its sets, or at longer lengths, beside the task's floors.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phasor/run/evaluation.h"
#include "phasor/run/learned_tensors.h"
#include "phasor/run/session.h"
#include "phasor/task/floors.h"

namespace phasor {

struct EvaluatedSet {
  std::string name;  // "train", "test", "validation"
  Scores scores;
};

struct SetEvaluation {
  std::string task, encoding;
  bool whole_answers = false;  // every token is read
  TaskFloors floors;
  std::vector<EvaluatedSet> sets;
  std::vector<LearnedTensor> learned;  // by the encoding
};

struct EvaluatedLength {
  double factor = 1.0;
  int64_t longest = 0;
  Scores scores;
  TaskFloors floors;
};

struct LengthsEvaluation {
  std::string task, encoding;
  bool whole_answers = false;
  int64_t trained_length = 0;
  std::string beyond;  // what the encoding does at positions beyond those
  std::vector<EvaluatedLength> lengths;
};

// All samples of the sets that the session's run has. Throw Error where a loss is not finite.
SetEvaluation evaluate_sets(Session& session);
// Throws UsageError, before anything is computed, where a factor cannot be answered.
LengthsEvaluation evaluate_lengths(Session& session, const std::vector<double>& factors, int64_t samples);

std::string to_text(const SetEvaluation& evaluation);
std::string to_text(const LengthsEvaluation& evaluation);
nlohmann::ordered_json to_json(const SetEvaluation& evaluation);
nlohmann::ordered_json to_json(const LengthsEvaluation& evaluation);

}  // namespace phasor
