#pragma once
// Everything that a finished run of a study says, read from the files in its folder: what summaries, comparisons and
// claims are made from. Nothing here is computed by running a model.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "phasor/ablation/encoding_verdict.h"
#include "phasor/ablation/published_ablation.h"
#include "phasor/ablation/question.h"
#include "phasor/ablation/stream_removal.h"
#include "phasor/base/special_numbers.h"
#include "phasor/run/learned_tensors.h"
#include "phasor/run/metrics.h"
#include "phasor/study/plan/planned_run.h"
#include "phasor/study/records/run_facts.h"
#include "phasor/study/records/training_spectra.h"
#include "phasor/task/floors.h"

namespace phasor {

// One question asked of one model's heads.
struct HeadRecord {
  SeedRun judged;                               // verdicts of all layers, drops of the key layer
  std::vector<std::vector<double>> loss_drops;  // [layers][heads], by the judged method
  std::vector<std::vector<double>> accuracies;  // [layers][heads], with the head off
};

struct AblationRecord {
  int64_t step = 0;
  int64_t samples = 0;
  double accuracy = 0.0, floor_accuracy = 0.0;
  std::optional<HeadRecord> position, importance;
  std::optional<StreamRemoval> removal;  // of the finished model only

  const std::optional<HeadRecord>& record(Question question) const {
    return question == Question::importance ? importance : position;
  }
};

// One of the theorems on spectra over the heads and a few sequences of a trained model.
struct BoundRecord {
  std::string name;        // "Schur, largest eigenvalue"
  int64_t cases = 0;       // heads times sequences
  int64_t applied = 0;     // where the hypotheses are met
  int64_t violated = 0;    // of those: not within the bound
  int64_t held = 0;        // of all cases: within the bound, whether or not the theorem applies
  double tightness = 0.0;  // mean of measured / bound over cases with a bound above 0; NaN where there are none
};

// Means over heads, of the first test sequences.
struct SpectrumRecord {
  SpectralFacts start, end;
  std::vector<double> start_contractions, end_contractions;  // of every head
  double relative_r2 = 0.0;  // trained; adjusted share of row-centred logits that distance alone explains
  // Trained; adjusted R2 of the positional Gram by distance (Assumption 3.2), heads weighted by the share of their
  // logits' variance that it is; NaN without it.
  double position_toeplitz = 0.0;
  double logit_interaction = 0.0;  // trained; content x offset in the logits
  double positional_share = 0.0;   // trained; position x position and the bias, of the logits' variance
  // Trained; content x content, likewise. What is left of 1 is products of content and position. NaN in older files.
  double content_share = std::numeric_limits<double>::quiet_NaN();
  // Assumption 3.1: shares of the streams that enter layers, trained, means over layers where they are defined.
  double stream_position = 0.0, stream_interaction = 0.0, stream_interaction_deviation = 0.0;
  // The same of the streams that enter the second and later layers: the first is a sum by construction. NaN in files of
  // earlier versions, as all that follows.
  double inner_position = kNaN, inner_interaction = kNaN, inner_interaction_deviation = kNaN;
  // study/carry_out/position_measures.h: heads weighted by the share, means over heads
  double gram_toeplitz = kNaN, gram_share = kNaN;
  double start_composition = kNaN, end_composition = kNaN;
  std::vector<BoundRecord> bounds;
};

struct LengthRecord {
  double factor = 1.0;
  int64_t longest = 0;
  double accuracy = 0.0;
};

struct RunRecord {
  std::string id;
  CellName cell;
  bool tuning = false;
  uint64_t seed = 0, data_seed = 0;
  int64_t test_samples = 0;  // 0: not known
  double learning_rate = 0.0;
  int64_t steps = 0, parameters = 0, layers = 0, heads = 0;
  double train_accuracy = 0.0;  // on the whole training set
  double test_accuracy = 0.0, test_loss = 0.0;
  std::optional<double> validation_accuracy, validation_loss;
  std::optional<int64_t> steps_to_90;
  bool converged = false;
  double loss_spikes = 0.0;
  double gradient_variation = 0.0, loss_area = 0.0;  // as in RunFacts
  TaskFloors floors;
  std::vector<Metrics> curve;
  std::optional<AblationRecord> ablation;
  std::vector<AblationRecord> snapshots;  // by rising step, without the finished model
  std::optional<PublishedAblation> published;
  std::optional<SpectrumRecord> spectrum;
  std::vector<LengthRecord> lengths;
  std::vector<LearnedTensor> learned;       // by the encoding
  std::optional<TrainingSpectra> training;  // where the run has telemetry
  double seconds = 0.0;                     // of training
  std::string device;
};

// Of a complete run. What was not measured is left out. Throws FormatError that names the file.
RunRecord read_record(const PlannedRun& run, const std::filesystem::path& folder);

}  // namespace phasor
