#pragma once
// Judges of claims about heads that hold position, and about position in the stream. Criteria are those of
// data/claims.json.
#include "phasor/paper/claim.h"
#include "phasor/paper/claim_study.h"

namespace phasor::paper {

JudgedClaim judge_rope_deposit(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_additive_deposits(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_rope_concentrates(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_counting_deposit(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_early_deposit(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_early_layers(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_mla_deposit(const Claim& claim, ClaimStudy& study, const std::string& protocol);
JudgedClaim judge_activation_position(const Claim& claim, ClaimStudy& study, const std::string& protocol);

}  // namespace phasor::paper
