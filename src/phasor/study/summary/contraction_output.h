#pragma once
// Does contraction go with steady and fast training? The answer for people and for programs.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/study/records/run_facts.h"
#include "phasor/study/summary/contraction_study.h"

namespace phasor {

std::string contraction_text(const std::vector<RunFacts>& runs, const ContractionStudy& study);
nlohmann::ordered_json contraction_json(const std::vector<RunFacts>& runs, const ContractionStudy& study);

}  // namespace phasor
