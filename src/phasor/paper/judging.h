#pragma once
// What the judges of claims share: verdicts with their reasons, and numbers as evidence.
#include <optional>
#include <string>
#include <vector>

#include "phasor/paper/claim.h"
#include "phasor/paper/claim_difference.h"
#include "phasor/paper/claim_study.h"

namespace phasor::paper {

JudgedClaim undetermined(const Claim& claim, const std::string& protocol);

// `reason` is one or two sentences without the last full stop.
void decide(JudgedClaim& judged, ClaimVerdict verdict, const std::string& reason, const std::string& needs = "");

// Undetermined because of what is missing; false, and nothing done, where nothing is.
bool lacks(JudgedClaim& judged, const std::vector<Lack>& lacking);

// Adds to the reason which runs failed, are missing or were still improving. Empty texts, repetitions and what the
// reason has already say nothing.
void add_notes(JudgedClaim& judged, const std::vector<std::string>& texts);

// A sample's mean with its 95 % interval; nothing is added for a sample without values.
void add_mean(JudgedClaim& judged, const ClaimSample& sample, const std::string& what, const std::string& unit);

// "0.249 (95 % 0.231 to 0.267)"
std::string mean_text(const ClaimSample& sample, const std::string& unit);

// How many runs got which verdict, with the prevalence of DEPOSIT, and the largest share of a head.
void add_heads(JudgedClaim& judged, const HeadReading& heads, Question question);

// One contest of a subject that is claimed to lead: positive differences are its lead.
struct Contest {
  std::string rival;
  Lack lack;
  std::string notes;
  std::optional<Difference> lead;  // where nothing lacks
};
std::vector<std::string> notes_of(const std::vector<Contest>& contests);

// Fails where the subject leads some rival by nothing of interest; holds where it leads all; `what` names the number
// for the evidence.
void judge_lead(JudgedClaim& judged, const std::vector<Contest>& contests, const std::string& subject,
                const std::string& what);

// Claims that something is no more than something else, by one of several ways: holds where one difference ends below
// its margin, fails where all are more. Returns the one with the lowest upper end; null where nothing could be
// compared.
struct NoMoreWords {
  std::string holds, fails;  // what the difference shows
  std::string more;          // "a gain"
};
const Difference* judge_no_more(JudgedClaim& judged, const std::vector<Difference>& differences,
                                const std::vector<Lack>& lack, const NoMoreWords& words, const std::string& what);

std::string joined(const std::vector<std::string>& texts, const char* with = ", ");

// RoPE of the accuracy curves: RoPE+Absolute in the released code at commit ffe3159.
std::string accuracy_rope(const std::string& protocol);

// What tokens allow at best, in per cent; nothing where no finished run knows it.
std::optional<double> task_ceiling(const ClaimStudy& study, const CellName& cell);

}  // namespace phasor::paper
