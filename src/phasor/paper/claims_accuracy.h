#pragma once
// Judges of claims about accuracy and speed. Criteria are those of data/claims.json.
#include "phasor/paper/claim.h"
#include "phasor/paper/claim_study.h"

namespace phasor::paper {

// Five claims, one for each task that asks for positions; which one is the claim's id.
JudgedClaim judge_rope_best(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_rope_faster(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_position_agnostic(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_absolute_indexing(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_few_heads(const Claim& claim, ClaimStudy& study, const std::string& protocol);
// Two claims, one for each task; which one is the claim's id.
JudgedClaim judge_principle(const Claim& claim, ClaimStudy& study, const std::string& protocol);

}  // namespace phasor::paper
