#include "phasor/paper/claims_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/paper/judging.h"
#include "phasor/statistics/summary.h"

namespace phasor::paper {
namespace {

constexpr const char* kAccuracy = "test accuracy";
// Where one of two intervals is enough, each is wider, so that both together cover in 95 %.
constexpr double kLevelOfTwo = 1.0 - kClaimLevel / 2.0;

const std::vector<std::string>& rivals() {
  static const std::vector<std::string> names = {"NoPE", "Absolute", "Random", "Relative", "ALiBi"};
  return names;
}

double level_of_rivals() { return 1.0 - kClaimLevel / static_cast<double>(rivals().size()); }

ClaimSample accuracy(const ClaimStudy& study, const std::string& encoding, const std::string& task,
                     const std::string& protocol) {
  return study.sample(encoding, task, protocol, kAccuracy, test_percent);
}

// first - second, where both decide. One rival that is as good refutes a lead over all, so that the intervals of all
// rivals cover together in 95 %.
Contest contest(const ClaimSample& first, const ClaimSample& second, double margin) {
  Contest result{.rival = second.label, .lack = second.lack, .left_out = second.left_out};
  if (first.decides() && second.decides()) result.lead = difference(first, second, "points", margin, level_of_rivals());
  return result;
}

// Two encodings that do all there is to do cannot be told apart, whoever is better where there is more to do: a lead or
// its absence that is read there is left open.
void leave_open_at_ceiling(JudgedClaim& judged, const ClaimStudy& study, const ClaimSample& rope,
                           const ClaimSample& rival, const std::string& task, double margin) {
  const std::optional<double> most = task_ceiling(study, rival.label, task, judged.protocol);
  if (!most || rope.values.empty() || rival.values.empty()) return;
  const double room = *most - statistics::mean(rival.values);
  judged.evidence.push_back({.what = fmt::format("room between {} and the best that tokens allow", rival.label),
                             .value = room,
                             .unit = "points",
                             .text = fmt::format("best {:.1f} %", *most)});
  if (room >= margin || *most - statistics::mean(rope.values) >= margin) return;
  judged.verdict = ClaimVerdict::undetermined;
  judged.reason = fmt::format("{} and {} are both at the task's ceiling, where no lead can show. {}", rope.label,
                              rival.label, judged.reason);
  judged.needs = "a size or task at which encodings stay below the ceiling";
}

// The accuracy curves of the released code have another RoPE than its ablations: the one that is not judged stands
// beside.
void add_plain_rope(JudgedClaim& judged, const ClaimStudy& study, const std::string& task) {
  if (judged.protocol == kClean) return;
  add_mean(judged, accuracy(study, "RoPE", task, judged.protocol), "test accuracy of RoPE alone", "%");
}

// Of two encodings, by a number that both have.
struct Speed {
  ClaimSample rope, rival;
  std::string what, unit;
};

double steps_to_90(const RunRecord& run) {
  return run.steps_to_90 ? static_cast<double>(*run.steps_to_90) : std::numeric_limits<double>::quiet_NaN();
}

double loss_area(const RunRecord& run) { return run.loss_area; }

bool all_reach_90(const ClaimStudy& study, const std::string& encoding, const std::string& protocol) {
  const auto runs = converged_runs(study.results(), cell_of(paper_encoding(encoding), kDistance, protocol));
  return !runs.empty() &&
         std::all_of(runs.begin(), runs.end(), [](const RunRecord* run) { return run->steps_to_90.has_value(); });
}

// Steps between evaluations, the widest of both encodings.
double evaluation_gap(const ClaimStudy& study, const std::vector<std::string>& encodings, const std::string& protocol) {
  double widest = 0.0;
  for (const std::string& encoding : encodings) {
    for (const RunRecord* run :
         converged_runs(study.results(), cell_of(paper_encoding(encoding), kDistance, protocol))) {
      for (size_t i = 1; i < run->curve.size(); ++i) {
        widest = std::max(widest, static_cast<double>(run->curve[i].step - run->curve[i - 1].step));
      }
    }
  }
  return widest;
}

// Steps to 90 % are known to the next evaluation only: where that is coarser than the margin, two encodings may look
// alike in every seed and be far apart.
Speed speed(const ClaimStudy& study, const std::string& rope, const std::string& rival, const std::string& protocol,
            double share) {
  const auto sample = [&](const std::string& encoding, bool steps) {
    return study.sample(encoding, kDistance, protocol, steps ? "steps to 90 %" : "loss area",
                        steps ? RunNumber(steps_to_90) : RunNumber(loss_area));
  };
  if (all_reach_90(study, rope, protocol) && all_reach_90(study, rival, protocol)) {
    Speed speeds{sample(rope, true), sample(rival, true), "steps to 90 %", "steps"};
    const bool is_fine = evaluation_gap(study, {rope, rival}, protocol) <= share * statistics::mean(speeds.rope.values);
    if (is_fine) return speeds;
  }
  return {sample(rope, false), sample(rival, false), "loss area", "of loss area"};
}

// Rates are chosen by accuracy, and speed hangs on them.
void add_rates(JudgedClaim& judged, const ClaimStudy& study, const std::string& encoding, const std::string& protocol) {
  const CellName cell = cell_of(paper_encoding(encoding), kDistance, protocol);
  const auto runs = converged_runs(study.results(), cell);
  if (runs.empty()) return;
  Evidence evidence{.what = fmt::format("learning rate, {}", encoding), .value = runs.front()->learning_rate};
  for (const RateChoice& choice : study.results().rates) {
    if (choice.cell == cell) evidence.text = fmt::format("best of {} by validation accuracy", choice.trials.size());
  }
  judged.evidence.push_back(evidence);
}

int64_t heads_of(const StudyResults& results, const CellName& cell) {
  const CellRuns* runs = results.find(cell);
  return runs == nullptr || runs->runs.empty() ? 0 : runs->runs.front().heads;
}

}  // namespace

JudgedClaim judge_rope_best(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double margin = claim.threshold("accuracy_points");
  const ClaimSample rope = accuracy(study, accuracy_rope(protocol), kDistance, protocol);
  add_mean(judged, rope, kAccuracy, "%");
  add_plain_rope(judged, study, kDistance);
  if (lacks(judged, {rope.lack})) return judged;
  std::vector<Contest> contests;
  const ClaimSample* best = nullptr;
  std::vector<ClaimSample> samples;
  for (const std::string& rival : rivals()) samples.push_back(accuracy(study, rival, kDistance, protocol));
  for (const ClaimSample& rival : samples) {
    add_mean(judged, rival, kAccuracy, "%");
    contests.push_back(contest(rope, rival, margin));
    if (!rival.decides()) continue;
    if (best == nullptr || statistics::mean(rival.values) > statistics::mean(best->values)) best = &rival;
  }
  judge_lead(judged, contests, rope.label, kAccuracy);
  std::vector<std::string> left_out = left_out_of(contests);
  left_out.push_back(rope.left_out);
  leave_out(judged, left_out);
  if (judged.verdict == ClaimVerdict::fails) leave_open_at_ceiling(judged, study, rope, *best, kDistance, margin);
  return judged;
}

JudgedClaim judge_rope_faster(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const std::string rope = accuracy_rope(protocol);
  const ClaimSample area = study.sample(rope, kDistance, protocol, "loss area", loss_area);
  add_mean(judged, area, "loss area", "");
  if (protocol != kClean) {
    add_mean(judged, study.sample("RoPE", kDistance, protocol, "loss area", loss_area), "loss area of RoPE alone", "");
  }
  add_rates(judged, study, rope, protocol);
  for (const std::string& rival : rivals()) add_rates(judged, study, rival, protocol);
  if (lacks(judged, {area.lack})) return judged;
  std::vector<Contest> contests;
  for (const std::string& rival : rivals()) {
    const Speed speeds = speed(study, rope, rival, protocol, claim.threshold("speed_share"));
    add_mean(judged, speeds.rival, speeds.what, speeds.unit == "steps" ? "steps" : "");
    Contest contest{.rival = rival, .lack = speeds.rival.lack, .left_out = speeds.rival.left_out};
    if (speeds.rope.decides() && speeds.rival.decides()) {
      const double margin = claim.threshold("speed_share") * statistics::mean(speeds.rope.values);
      contest.lead = difference(speeds.rival, speeds.rope, speeds.unit, margin, level_of_rivals());
    }
    contests.push_back(std::move(contest));
  }
  judge_lead(judged, contests, rope, "speed");
  std::vector<std::string> left_out = left_out_of(contests);
  left_out.push_back(area.left_out);
  leave_out(judged, left_out);
  return judged;
}

JudgedClaim judge_position_agnostic(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double margin = claim.threshold("accuracy_points");
  const ClaimSample rope = accuracy(study, accuracy_rope(protocol), kCounting, protocol);
  const ClaimSample nope = accuracy(study, "NoPE", kCounting, protocol);
  add_mean(judged, rope, kAccuracy, "%");
  add_mean(judged, nope, kAccuracy, "%");
  add_plain_rope(judged, study, kCounting);
  if (lacks(judged, {rope.lack, nope.lack})) return judged;
  const std::vector<Difference> leads = {difference(rope, nope, "points", margin)};
  const bool harm = leads[0].interval.high < 0.0;
  judge_no_more(judged, leads, {},
                {.holds = harm ? "position does harm" : "no gain of interest, surely",
                 .fails = fmt::format("{} gains", rope.label),
                 .more = "a gain"},
                kAccuracy);
  leave_out(judged, {rope.left_out, nope.left_out});
  if (judged.verdict == ClaimVerdict::holds && !harm) {
    leave_open_at_ceiling(judged, study, rope, nope, kCounting, margin);
  }
  return judged;
}

JudgedClaim judge_absolute_indexing(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double margin = claim.threshold("accuracy_points");
  const ClaimSample rope = accuracy(study, "RoPE", kIndex, protocol);
  add_mean(judged, rope, kAccuracy, "%");
  add_mean(judged, accuracy(study, "NoPE", kIndex, protocol), kAccuracy, "%");
  if (lacks(judged, {rope.lack})) return judged;
  std::vector<ClaimSample> rivals;
  std::vector<Lack> lack;
  std::vector<std::string> left_out = {rope.left_out};
  std::vector<Difference> leads;
  for (const char* encoding : {"Absolute", "Random"}) {
    rivals.push_back(accuracy(study, encoding, kIndex, protocol));
    add_mean(judged, rivals.back(), kAccuracy, "%");
    lack.push_back(rivals.back().lack);
    left_out.push_back(rivals.back().left_out);
    if (rivals.back().decides()) leads.push_back(difference(rope, rivals.back(), "points", margin, kLevelOfTwo));
  }
  const bool is_worse = std::any_of(leads.begin(), leads.end(), [](const Difference& lead) { return lead.is_less(); });
  const Difference* least = judge_no_more(judged, leads, lack,
                                          {.holds = is_worse ? "RoPE is worse" : "no gain of interest, surely",
                                           .fails = "RoPE gains over both, the better one too",
                                           .more = "a gain"},
                                          kAccuracy);
  leave_out(judged, left_out);
  if (judged.verdict == ClaimVerdict::holds && least->interval.high >= 0.0) {
    const ClaimSample& rival = least->second == rivals[0].label ? rivals[0] : rivals[1];
    leave_open_at_ceiling(judged, study, rope, rival, kIndex, margin);
  }
  return judged;
}

JudgedClaim judge_few_heads(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const ClaimSample all = accuracy(study, "RoPE", kDistance, protocol);
  add_mean(judged, all, kAccuracy, "%");
  if (lacks(judged, {all.lack})) return judged;
  const int64_t heads = heads_of(study.results(), cell_of(paper_encoding("RoPE"), kDistance, protocol));
  if (heads < 3) {
    decide(judged, ClaimVerdict::undetermined, fmt::format("two of {} heads are no small part of them", heads),
           "at least three heads");
    return judged;
  }
  std::vector<Lack> lack;
  std::vector<std::string> left_out = {all.left_out};
  std::vector<Difference> losses;
  for (const int64_t k : {int64_t{1}, int64_t{2}}) {
    const ClaimSample few = claim_sample(study.results(), rotary_heads_cell(k, heads, kDistance, protocol),
                                         fmt::format("{} of {} heads", k, heads), kAccuracy, test_percent);
    add_mean(judged, few, kAccuracy, "%");
    lack.push_back(few.lack);
    left_out.push_back(few.left_out);
    if (few.decides()) {
      losses.push_back(difference(all, few, "points", claim.threshold("accuracy_points"), kLevelOfTwo));
    }
  }
  const std::string scope = heads == 16 ? "" : fmt::format(" of {} heads (the paper has 16)", heads);
  judge_no_more(judged, losses, lack,
                {.holds = fmt::format("one or two{} suffice", scope),
                 .fails = fmt::format("neither one nor two{} suffice", scope),
                 .more = "a loss"},
                kAccuracy);
  const std::optional<double> most = task_ceiling(study, "RoPE", kDistance, protocol);
  if (judged.verdict == ClaimVerdict::holds && most &&
      *most - statistics::mean(all.values) < claim.threshold("accuracy_points")) {
    judged.reason += " All of them reach the task's ceiling: they suffice for this task.";
  }
  leave_out(judged, left_out);
  return judged;
}

}  // namespace phasor::paper
