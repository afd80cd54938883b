#pragma once
// The two questions that scores are asked: which heads matter, and where position lives. They differ in what is taken
// out of a head: all that it says, or its position alone.
#include <optional>
#include <string_view>
#include <vector>

#include "phasor/ablation/score_table.h"
#include "phasor/ablation/verdict.h"
#include "phasor/task/dataset.h"
#include "phasor/task/task.h"

namespace phasor {

enum class Question : uint8_t {
  importance,  // judged by `zero`; `mean` and `resample` must name the same head
  position,    // judged by `position_off`; `position_shuffled` must name the same head
};

std::string_view name(Question question);
AblationMethod judged_method(Question question);
std::vector<AblationMethod> other_methods(Question question);

// What a verdict holds scores against.
struct AnswerContext {
  double floor_accuracy = 0.0;  // the best of: a class at random, the commonest class, the commonest one for a length
  double guess_loss = 0.0;      // of guessing by how often the answers of the set occur; 1 where the answer is a number
};
AnswerContext answer_context(const Task& task, AnswerKind answer, const Dataset& data, int64_t samples);

// Nothing where the judged method was not measured.
std::optional<RunEvidence> evidence(const ScoreTable& table, Question question, const AnswerContext& context);

}  // namespace phasor
