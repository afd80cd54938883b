#pragma once
// Judges of claims about what concentration costs, by a design that sets it: so many heads of every layer are rotary,
// the others have no position. Criteria are those of data/claims.json.
#include "phasor/paper/claim.h"
#include "phasor/paper/claim_study.h"

namespace phasor::paper {

JudgedClaim judge_length_generalisation(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_lost_heads(const Claim& claim, ClaimStudy& study, const std::string& protocol);

}  // namespace phasor::paper
