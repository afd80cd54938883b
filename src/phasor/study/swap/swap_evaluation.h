#pragma once
// A trained model under another encoding, length by length, beside what it does under its own: accuracy, loss, and how
// far the swap moves attention (spectrum/attention_damage.h).
#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/run/evaluation.h"
#include "phasor/run/length_evaluation.h"
#include "phasor/spectrum/attention_damage.h"
#include "phasor/task/floors.h"

namespace phasor {

// Of targets that are read in one tenth of their sequence.
struct PlaceScores {
  int64_t scored = 0;
  double loss = 0.0, accuracy = 0.0;  // means
};

struct PlacedScores {
  Scores scores;
  // By the tenth that the token lies in whose features answer; empty where the answer is read from all tokens together.
  std::vector<PlaceScores> places;
};

// Of a model over all samples.
PlacedScores placed_scores(Transformer& model, const Dataset& data, int64_t batch);

struct SwappedLength {
  double factor = 1.0;
  int64_t longest = 0;
  std::string encoding;  // as it is at this length, canonical
  TaskFloors floors;
  std::optional<PlacedScores> own;  // under the encoding of training; nothing where it has no answer at this length
  std::string own_refused;          // why
  PlacedScores swapped;
  std::vector<HeadDamage> damage;  // empty where the run's own encoding has no answer
  int64_t damage_samples = 0;
};

struct SwapEvaluation {
  std::string task, from;
  std::string to;  // as it was asked for
  bool whole_answers = false;
  int64_t trained_length = 0;
  std::string beyond;              // of the new encoding
  std::vector<std::string> notes;  // sentences about trained numbers, and about what the damage does not see
  std::vector<SwappedLength> lengths;
};

struct SwapOptions {
  std::vector<double> factors = {1.0};
  int64_t samples = 4096;
  int64_t damage_samples = 16;  // 0: it is not measured
  bool own = true;              // scores under the run's own encoding too
  bool floors = true;
  std::string run;  // the folder, for errors
};

// Throws UsageError, before anything is computed, where the trained weights do not fit the new encoding or it has no
// answer at a length.
SwapEvaluation evaluate_swap(Session& session, const std::string& expression, const SwapOptions& options);

// Mean over all heads.
DamageSum damage_of(const std::vector<HeadDamage>& heads);

std::string to_text(const SwapEvaluation& evaluation);
nlohmann::ordered_json to_json(const SwapEvaluation& evaluation);
const Fields<SwapEvaluation>& json_fields(const SwapEvaluation*);

}  // namespace phasor
