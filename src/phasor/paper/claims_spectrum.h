#pragma once
// Judges of claims about spectra, Toeplitz structure and the assumptions. Criteria are those of data/claims.json.
#include "phasor/paper/claim.h"
#include "phasor/paper/claim_study.h"

namespace phasor::paper {

JudgedClaim judge_contraction(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_solution_space(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_additive_states(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_toeplitz(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_bounds(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_random_overfits(const Claim& claim, ClaimStudy& study, const std::string& protocol);

}  // namespace phasor::paper
