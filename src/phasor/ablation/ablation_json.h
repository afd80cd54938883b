#pragma once
// Ablations for programs: ablation.json, as docs/formats.md describes it.
#include <nlohmann/json_fwd.hpp>

#include "phasor/ablation/published_ablation.h"
#include "phasor/ablation/run_ablation.h"

namespace phasor {

nlohmann::ordered_json to_json(const Estimate& estimate);
nlohmann::ordered_json to_json(const RunVerdict& verdict);
nlohmann::ordered_json to_json(const StreamRemoval& removal);
nlohmann::ordered_json to_json(const RunAblation& ablation);
nlohmann::ordered_json to_json(const PublishedAblation& ablation);

nlohmann::ordered_json to_json(const std::vector<std::vector<HeadHabit>>& habits);

// The reverse, digit for digit. Throw FormatError that says where a member is missing or wrong.
std::vector<std::vector<HeadHabit>> habits_from_json(const nlohmann::ordered_json& json);
StreamRemoval removal_from_json(const nlohmann::ordered_json& json);
PublishedAblation published_from_json(const nlohmann::ordered_json& json);
// What a file does not have stays as it starts: remedies of clauses, and of `held_out` the layer, sufficiency_of_all
// and p of single heads before Holm's correction. FormatError for what is none of the verdicts.
RunVerdict verdict_from_json(const nlohmann::ordered_json& json);

}  // namespace phasor
