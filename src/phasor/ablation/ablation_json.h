#pragma once
// Ablations for programs: ablation.json and its relatives, as docs/formats.md describes them. What is read comes back
// digit for digit. A file does not have: remedies of clauses, and of `held_out` the layer, sufficiency_of_all and p of
// single heads before Holm's correction.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/ablation/encoding_verdict.h"
#include "phasor/ablation/published_ablation.h"
#include "phasor/ablation/run_ablation.h"
#include "phasor/base/json_fields_fwd.h"

namespace phasor {

std::string_view json_name(const Estimate*);
const Fields<Estimate>& json_fields(const Estimate*);
std::string_view json_name(const RunVerdict*);
const Fields<RunVerdict>& json_fields(const RunVerdict*);
const Fields<Clause>& json_fields(const Clause*);
const Fields<HeadHabit>& json_fields(const HeadHabit*);
std::string_view json_name(const StreamRemoval*);
const Fields<StreamRemoval>& json_fields(const StreamRemoval*);
const Fields<PublishedAblation>& json_fields(const PublishedAblation*);

// Parts of what seeds say together.
std::string_view json_name(const Prevalence*);
const Fields<Prevalence>& json_fields(const Prevalence*);
const Fields<EncodingVerdict>& prevalence_fields();  // deposit, spread, ...
const Fields<EncodingVerdict>& share_fields();       // max_share, n2, necessity, sufficiency

// The model that was ablated.
struct AblationSource {
  std::string task, encoding, protocol;
  uint64_t seed = 0;
  int64_t step = 0, layers = 0, heads = 0;

  bool operator==(const AblationSource&) const = default;
};
const Fields<AblationSource>& json_fields(const AblationSource*);

struct MeasuredCondition {
  int64_t layer = 0;
  std::optional<int64_t> head;  // nothing: a whole layer
  std::string ablated;          // "alone", "whole", "only"
  std::string method;
  double loss_drop = 0.0, accuracy = 0.0;
};

// ablation.json of one model.
struct StoredAblation {
  AblationSource source;
  int64_t samples = 0;
  RemovalScore intact;
  double floor_accuracy = 0.0, guess_loss = 0.0;
  std::string parameters;
  std::optional<RunVerdict> position, importance;
  std::vector<MeasuredCondition> conditions;
  std::vector<std::vector<HeadHabit>> habits;
  StreamRemoval removal;
};
const Fields<StoredAblation>& json_fields(const StoredAblation*);
StoredAblation stored_ablation(const RunAblation& ablation, AblationSource source);

// ablation_published.json
struct StoredPublished {
  AblationSource source;
  PublishedAblation ablation;
};
const Fields<StoredPublished>& json_fields(const StoredPublished*);

}  // namespace phasor
