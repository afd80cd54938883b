#pragma once
// All claims judged by what a study has come to.
#include <string>
#include <vector>

#include "phasor/paper/claim.h"
#include "phasor/spectrum/separation_table.h"
#include "phasor/study/records/study_results.h"

namespace phasor::paper {

// Claims in the order of claims(), each under every protocol that the study has cells of and that the claim can be
// judged under. All finished runs count; what the study lacks is undetermined. Plays the game of separation anew,
// which takes about a second.
std::vector<JudgedClaim> judge_claims(const StudyResults& results);
// With the game as played already.
std::vector<JudgedClaim> judge_claims(const StudyResults& results, const SeparationTable& separation);

// The ids that have a judge.
std::vector<std::string> judged_ids();

}  // namespace phasor::paper
