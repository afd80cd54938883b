#pragma once
// A cell of a study in numbers: means over seeds with intervals, and every seed's own values, in the order of the runs.
//
// All finished runs count, at the compute that they were given. Those that were still improving at their last
// evaluation are named in `unconverged`: leaving them out would select runs by how they came out.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/cell_heads.h"
#include "phasor/study/summary/cell_numbers.h"
#include "phasor/study/summary/learned_numbers.h"

namespace phasor {

// One finished run.
struct SeedOutcome {
  std::string id;
  uint64_t seed = 0;
  double learning_rate = 0.0;
  int64_t steps = 0, parameters = 0;
  bool converged = false;
  std::optional<double> validation_accuracy, validation_loss;
};

// Of the steps at which some run was evaluated; a run without one of them has NaN there.
struct LearningCurves {
  std::vector<int64_t> steps;
  std::vector<SeedInterval> test_accuracy, train_accuracy;  // [steps]
};

struct LengthSummary {
  double factor = 1.0;
  int64_t longest = 0;
  SeedInterval accuracy;
};

struct SpectrumSummary {
  SeedInterval contraction_start, contraction_end;
  SeedInterval product_norm_start, product_norm_end;
  SeedInterval relative_r2, position_toeplitz, logit_interaction;                   // trained
  SeedInterval content_share, product_share, positional_share;                      // trained; they add up to 1
  SeedInterval stream_position, stream_interaction, stream_interaction_deviation;   // trained
  std::vector<std::vector<double>> head_contractions_start, head_contractions_end;  // [runs][heads of all layers]
};

struct SeedPublished {
  std::string id;
  uint64_t seed = 0;
  PublishedAblation ablation;
};

struct CellSummary {
  CellName cell;
  int64_t planned = 0;
  std::vector<SeedOutcome> runs;         // finished
  std::vector<uint64_t> added_seeds;     // of finished runs that an extension of the study added
  std::vector<std::string> unconverged;  // ids
  std::vector<std::string> failed;       // ids
  std::vector<double> learning_rates;    // all that occur, rising
  std::vector<int64_t> parameters;       // likewise
  int64_t layers = 0, heads = 0;         // of the first run
  std::optional<TaskFloors> floors;      // of the first run
  CellNumbers numbers;
  LearningCurves curves;
  std::vector<LengthSummary> lengths;  // by rising factor
  std::optional<SpectrumSummary> spectrum;
  std::optional<QuestionSummary> position, importance;
  std::vector<RemovalSummary> removal;     // by layer
  std::vector<SnapshotSummary> snapshots;  // by rising step
  std::vector<SeedPublished> published;
  LearnedSummary learned;  // by the encoding

  const std::optional<QuestionSummary>& summary(Question question) const {
    return question == Question::importance ? importance : position;
  }
};

CellSummary summarize(const CellRuns& cell);

// Parts of it, of any runs of a cell.
LearningCurves learning_curves(const std::vector<RunRecord>& runs);
std::vector<LengthSummary> length_summary(const std::vector<RunRecord>& runs);  // by rising factor
std::optional<SpectrumSummary> spectrum_summary(const std::vector<RunRecord>& runs);

}  // namespace phasor
