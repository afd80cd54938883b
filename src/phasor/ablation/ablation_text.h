#pragma once
// Ablations for people: a heat map of layers and heads, verdicts with their reasons, habits of heads.
#include <string>
#include <vector>

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/published_ablation.h"
#include "phasor/ablation/run_ablation.h"

namespace phasor {

struct AblationTextOptions {
  SnapshotStep step;     // of a snapshot
  bool clauses = false;  // every clause of the verdicts
};

// All of it: verdicts for both questions, habits, removal of position.
std::string ablation_text(const RunConfig& config, const RunAblation& ablation, const AblationTextOptions& options);

// What each head alone costs by the question's method, shaded by its share of the layer's drops.
std::string heat_map(const RunAblation& ablation, Question question, AnswerKind answer);

// The verdict with its reason, then the reasons of other layers that are used; clauses of the layer that matters most.
std::string verdict_text(const RunVerdict& verdict, Question question, bool clauses);

// A line per head.
std::string habits_table(const std::vector<std::vector<HeadHabit>>& habits);

std::string removal_table(const StreamRemoval& removal);

std::string published_table(const PublishedAblation& ablation);

}  // namespace phasor
