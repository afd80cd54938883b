#pragma once
// What ablations say over the runs of a cell: verdicts, every seed's heads, removal of p, and snapshots.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/ablation/encoding_verdict.h"
#include "phasor/ablation/question.h"
#include "phasor/study/records/run_record.h"
#include "phasor/study/summary/seed_interval.h"

namespace phasor {

// The effect sizes of a layer; null where it has no shares: the model is at its floor, the
// layer is not used, or none of its heads costs anything.
const LayerEffect* used_effect(const RunVerdict& verdict, int64_t layer);

// One question asked of one finished model.
struct SeedHeads {
  std::string id;
  uint64_t seed = 0;
  bool converged = false;
  int64_t samples = 0;
  double accuracy = 0.0, floor_accuracy = 0.0;
  RunVerdict verdict;
  std::vector<std::vector<double>> loss_drops, accuracies;  // [layers][heads]
};

struct QuestionSummary {
  EncodingVerdict verdict;  // of all finished runs that were asked
  std::vector<SeedHeads> seeds;
};

// Drops of the heads of each layer from the largest down, means over seeds: [layers][ranks].
std::vector<std::vector<double>> sorted_drops(const std::vector<SeedHeads>& seeds);

// Nothing where no run was asked.
std::optional<QuestionSummary> question_summary(const std::vector<RunRecord>& runs, Question question);

// Of a layer; accuracies but for `excess`, which is loss.
struct RemovalSummary {
  int64_t layer = 0;
  SeedInterval without_position;    // p_i taken out
  SeedInterval without_input_term;  // P(i) taken out; no values where the encoding adds nothing
  SeedInterval random;              // mean over the draws of random vectors as long as p_i
  SeedInterval excess;              // loss without p_i less loss with random vectors
  SeedInterval norm_share;          // of the stream's variance that p_i is
};
std::vector<RemovalSummary> removal_summary(const std::vector<RunRecord>& runs);

// The finished model's key layer, some steps into training. Seeds whose finished model has no shares there are left
// out, and so are seeds whose layer has none yet.
struct SnapshotShares {
  SeedInterval max_share, n2;
  // Of the seeds with shares at this step: the head that costs most is the finished model's. By chance, 1 / heads.
  int64_t leading = 0;
};

struct SnapshotSummary {
  int64_t step = 0;
  SeedInterval accuracy;
  SnapshotShares position, importance;

  const SnapshotShares& shares(Question question) const {
    return question == Question::importance ? importance : position;
  }
};
std::vector<SnapshotSummary> snapshot_summary(const std::vector<RunRecord>& runs);  // by rising step

}  // namespace phasor
