#pragma once
// Judges of claims about numbers that go together over seeds. Criteria are those of data/claims.json.
#include "phasor/paper/claim.h"
#include "phasor/paper/claim_study.h"

namespace phasor::paper {

JudgedClaim judge_stability(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_training_spectra(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_concentration_and_speed(const Claim& claim, ClaimStudy& study, const std::string& protocol);

}  // namespace phasor::paper
