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

}  // namespace phasor
