#include "phasor/paper/claims_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/special_numbers.h"
#include "phasor/paper/judging.h"

namespace phasor::paper {
namespace {

// Mean over longer sequences of accuracy / accuracy at the length of training, both above that of the commonest class:
// a guess is kept at every length.
double accuracy_kept(const RunRecord& run) {
  const double guess = std::max(run.floors.chance, run.floors.constant);
  double own = run.test_accuracy, sum = 0.0;
  int64_t longer = 0;
  for (const LengthRecord& length : run.lengths) {
    if (length.factor == 1.0) own = length.accuracy;
    if (length.factor <= 1.0) continue;
    sum += length.accuracy - guess;
    ++longer;
  }
  return longer > 0 && own > guess ? sum / static_cast<double>(longer) / (own - guess) : kNaN;
}

// What is left of the accuracy, above that of the commonest class, without the head that costs most.
double kept_without_a_head(const RunRecord& run) {
  if (!run.ablation || !run.ablation->importance) return kNaN;
  const double guess = std::max(run.floors.chance, run.floors.constant), own = run.ablation->accuracy;
  double least = kNaN;
  for (const std::vector<double>& layer : run.ablation->importance->accuracies) {
    for (const double accuracy : layer) least = std::isnan(least) ? accuracy : std::min(least, accuracy);
  }
  return own > guess ? (least - guess) / (own - guess) : kNaN;
}

// Cells with few rotary heads beside the one in which all are.
struct Design {
  int64_t heads = 0;
  ClaimSample all_accuracy;
  std::vector<int64_t> few;  // how many heads are rotary, rising
};

Design design_of(const ClaimStudy& study, const std::string& protocol) {
  Design design;
  const CellName rope = cell_of(paper_encoding("RoPE"), kDistance, protocol);
  const auto runs = finished_runs(study.results(), rope);
  design.all_accuracy = accuracy_sample(study.results(), rope, "all heads");
  if (runs.empty()) return design;
  design.heads = runs.front()->heads;
  for (int64_t k = 1; k < design.heads; ++k) {
    if (study.results().find(rotary_heads_cell(k, design.heads, kDistance, protocol)) != nullptr) {
      design.few.push_back(k);
    }
  }
  return design;
}

std::string heads_label(int64_t k, int64_t heads) { return fmt::format("{} of {} heads", k, heads); }

// The fewest rotary heads that are as accurate as all of them at the length of training; 0: none are.
int64_t fewest_as_accurate(JudgedClaim& judged, const ClaimStudy& study, const Design& design, double margin) {
  int64_t fewest = 0;
  for (const int64_t k : design.few) {
    const ClaimSample accuracy = accuracy_sample(
        study.results(), rotary_heads_cell(k, design.heads, kDistance, judged.protocol), heads_label(k, design.heads));
    if (!accuracy.decides()) continue;
    const Difference lead = difference(design.all_accuracy, accuracy, "points", margin);
    judged.evidence.push_back(lead.evidence("test accuracy"));
    const bool is_equal = read(lead.interval, margin) == statistics::DifferenceReading::not_of_interest;
    if (is_equal && fewest == 0) fewest = k;
  }
  return fewest;
}

// A number of which models with few rotary heads are claimed to keep less.
struct Kept {
  const char* what;
  RunNumber number;
};

void judge_kept(JudgedClaim& judged, const Claim& claim, const ClaimStudy& study, const Kept& kept) {
  const Design design = design_of(study, judged.protocol);
  if (lacks(judged, {design.all_accuracy.lack})) return;
  if (design.few.empty()) {
    decide(judged, ClaimVerdict::undetermined, "no cell of this study has few rotary heads",
           "cells with few rotary heads");
    judged.unasked = true;
    return;
  }
  const int64_t fewest = fewest_as_accurate(judged, study, design, claim.threshold("accuracy_points"));
  if (fewest == 0) {
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("with no number of rotary heads below {} accuracy is the same as with all, to within {}",
                       design.heads, figure(claim.threshold("accuracy_points"), "points")),
           "more runs, or a task that few heads solve as well");
    return;
  }
  const CellName rope = cell_of(paper_encoding("RoPE"), kDistance, judged.protocol);
  const CellName few = rotary_heads_cell(fewest, design.heads, kDistance, judged.protocol);
  const std::string label = heads_label(fewest, design.heads);
  const auto sample = [&](const CellName& cell, const std::string& name, const char* what, const RunNumber& number) {
    return claim_sample(study.results(), cell, name, what, number);
  };
  // The design works where it concentrates: an assigned difference, not one that runs chose.
  const ClaimSample all_share = sample(rope, "all heads", "largest share of a head", largest_share_of),
                    few_share = sample(few, label, "largest share of a head", largest_share_of);
  if (all_share.decides() && few_share.decides()) {
    judged.evidence.push_back(
        difference(few_share, all_share, "", 0.05).evidence("largest share of a head by position"));
  }
  const ClaimSample all_kept = sample(rope, "all heads", kept.what, kept.number),
                    few_kept = sample(few, label, kept.what, kept.number);
  add_mean(judged, all_kept, kept.what, "");
  add_mean(judged, few_kept, kept.what, "");
  if (lacks(judged, {all_kept.lack, few_kept.lack})) return;
  const Difference lead = difference(all_kept, few_kept, "", claim.threshold("kept"));
  judged.evidence.push_back(lead.evidence(kept.what));
  const std::string numbers = fmt::format("at equal accuracy, {}: {}", kept.what, lead.text());
  if (lead.is_no_more()) {
    decide(judged, ClaimVerdict::fails, numbers);
  } else if (lead.is_more()) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers, lead.runs_to_decide_text());
  }
  add_notes(judged, {all_kept.notes, few_kept.notes});
}

}  // namespace

JudgedClaim judge_length_generalisation(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  judge_kept(judged, claim, study, {.what = "accuracy kept on longer sequences", .number = accuracy_kept});
  return judged;
}

JudgedClaim judge_lost_heads(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  judge_kept(judged, claim, study,
             {.what = "accuracy kept without the head that costs most", .number = kept_without_a_head});
  return judged;
}

}  // namespace phasor::paper
