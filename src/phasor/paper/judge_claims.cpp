#include "phasor/paper/judge_claims.h"

#include "phasor/base/error.h"
#include "phasor/paper/claims_accuracy.h"
#include "phasor/paper/claims_correlation.h"
#include "phasor/paper/claims_design.h"
#include "phasor/paper/claims_heads.h"
#include "phasor/paper/claims_spectrum.h"

namespace phasor::paper {
namespace {

using Judge = JudgedClaim (*)(const Claim& claim, ClaimStudy& study, const std::string& protocol);

struct Entry {
  const char* id;
  Judge judge;
};

constexpr Entry kJudges[] = {
    {"rope_best_on_distance", judge_rope_best},
    {"rope_best_on_indirect", judge_rope_best},
    {"rope_best_on_joint", judge_rope_best},
    {"rope_best_on_index_from_start", judge_rope_best},
    {"rope_best_on_index_from_end", judge_rope_best},
    {"principle_on_distance", judge_principle},
    {"principle_on_indirect", judge_principle},
    {"rope_converges_faster", judge_rope_faster},
    {"no_gain_position_agnostic", judge_position_agnostic},
    {"no_gain_absolute_indexing", judge_absolute_indexing},
    {"coupling_contracts_spectra", judge_contraction},
    {"eigenvalue_bounds_hold", judge_bounds},
    {"contraction_goes_with_stability", judge_stability},
    {"spectra_go_with_gradients", judge_training_spectra},
    {"rope_solution_space_larger", judge_solution_space},
    {"assumption_3_1", judge_additive_states},
    {"assumption_3_2", judge_toeplitz},
    {"deposit_rope_distance", judge_rope_deposit},
    {"no_deposit_additive", judge_additive_deposits},
    {"rope_concentrates_more", judge_rope_concentrates},
    {"no_deposit_counting", judge_counting_deposit},
    {"deposit_in_early_layers", judge_early_layers},
    {"deposit_forms_early", judge_early_deposit},
    {"concentration_goes_with_speed", judge_concentration_and_speed},
    {"mla_removes_deposit", judge_mla_deposit},
    {"one_or_two_heads_suffice", judge_few_heads},
    {"rope_suppresses_activation_position", judge_activation_position},
    {"random_overfits_low_toeplitz", judge_random_overfits},
    {"deposit_hurts_length_generalisation", judge_length_generalisation},
    {"deposit_hurts_when_heads_are_lost", judge_lost_heads},
};

Judge judge_of(const std::string& id) {
  for (const Entry& entry : kJudges) {
    if (id == entry.id) return entry.judge;
  }
  fail("no judge for claim '{}'", id);
}

std::vector<JudgedClaim> judge_all(ClaimStudy& study) {
  std::vector<std::string> protocols = study.protocols();
  protocols.emplace_back(kAnyProtocol);
  std::vector<JudgedClaim> judged;
  for (const Claim& claim : claims()) {
    const Judge judge = judge_of(claim.id);
    for (const std::string& protocol : protocols) {
      if (claim.is_judged_under(protocol)) judged.push_back(judge(claim, study, protocol));
    }
  }
  return judged;
}

}  // namespace

std::vector<JudgedClaim> judge_claims(const StudyResults& results) {
  ClaimStudy study(results, [] { return separation_table({}); });
  return judge_all(study);
}

std::vector<JudgedClaim> judge_claims(const StudyResults& results, const SeparationTable& separation) {
  ClaimStudy study(results, [&] { return separation; });
  return judge_all(study);
}

std::vector<std::string> judged_ids() {
  std::vector<std::string> ids;
  for (const Entry& entry : kJudges) ids.emplace_back(entry.id);
  return ids;
}

}  // namespace phasor::paper
