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

const std::vector<std::string>& rivals() {
  static const std::vector<std::string> names = {"NoPE", "Absolute", "Random", "Relative", "ALiBi"};
  return names;
}

// The task that a claim is about.
struct ClaimTask {
  std::string task, variant;
};

ClaimTask task_of(const Claim& claim) {
  const auto is = [&](const char* id) { return claim.id == id; };
  if (is("rope_best_on_indirect") || is("principle_on_indirect")) return {kIndirect, ""};
  if (is("rope_best_on_joint")) return {kJoint, ""};
  if (is("rope_best_on_index_from_start")) return {kIndex, ""};
  if (is("rope_best_on_index_from_end")) return {kIndex, kFromTheEnd};
  return {kDistance, ""};
}

// first - second, where both decide.
Contest contest(const ClaimSample& first, const ClaimSample& second, double margin, size_t rivals) {
  Contest result{.rival = second.label, .lack = second.lack, .notes = second.notes};
  if (first.decides() && second.decides()) result.lead = difference(first, second, "points", margin, rivals);
  return result;
}

// Two encodings that do all there is to do cannot be told apart, whoever is better where there is more to do: a lead or
// its absence that is read there is left open.
void leave_open_at_ceiling(JudgedClaim& judged, const ClaimStudy& study, const ClaimSample& rope,
                           const ClaimSample& rival, const ClaimTask& task, double margin) {
  const std::optional<double> most =
      task_ceiling(study, cell_of(paper_encoding(rival.label), task.task, judged.protocol, task.variant));
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
  add_mean(judged, study.accuracy("RoPE", task, judged.protocol), "test accuracy of RoPE alone", "%");
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
  const auto runs = finished_runs(study.results(), cell_of(paper_encoding(encoding), kDistance, protocol));
  return !runs.empty() &&
         std::all_of(runs.begin(), runs.end(), [](const RunRecord* run) { return run->steps_to_90.has_value(); });
}

// Steps between evaluations, the widest of both encodings.
double evaluation_gap(const ClaimStudy& study, const std::vector<std::string>& encodings, const std::string& protocol) {
  double widest = 0.0;
  for (const std::string& encoding : encodings) {
    for (const RunRecord* run :
         finished_runs(study.results(), cell_of(paper_encoding(encoding), kDistance, protocol))) {
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
    const double gap = evaluation_gap(study, {rope, rival}, protocol);
    // A step that is known up to an interval between evaluations has a variance of gap^2 / 12.
    for (ClaimSample* side : {&speeds.rope, &speeds.rival}) {
      side->variance_floor = gap * gap / 12.0 / static_cast<double>(std::max<size_t>(1, side->values.size()));
    }
    if (gap <= share * statistics::mean(speeds.rope.values)) return speeds;
  }
  return {sample(rope, false), sample(rival, false), "loss area", "of loss area"};
}

// Rates are chosen by accuracy, and speed hangs on them.
void add_rates(JudgedClaim& judged, const ClaimStudy& study, const std::string& encoding, const std::string& protocol) {
  const CellName cell = cell_of(paper_encoding(encoding), kDistance, protocol);
  const auto runs = finished_runs(study.results(), cell);
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
  const ClaimTask task = task_of(claim);
  const auto accuracy = [&](const std::string& encoding) {
    return study.accuracy(encoding, task.task, protocol, task.variant);
  };
  const ClaimSample rope = accuracy(accuracy_rope(protocol));
  add_mean(judged, rope, kAccuracy, "%");
  add_plain_rope(judged, study, task.task);
  if (lacks(judged, {rope.lack})) return judged;
  std::vector<Contest> contests;
  const ClaimSample* best = nullptr;
  std::vector<ClaimSample> samples;
  for (const std::string& rival : rivals()) samples.push_back(accuracy(rival));
  for (const ClaimSample& rival : samples) {
    add_mean(judged, rival, kAccuracy, "%");
    contests.push_back(contest(rope, rival, margin, rivals().size()));
    if (!rival.decides()) continue;
    if (best == nullptr || statistics::mean(rival.values) > statistics::mean(best->values)) best = &rival;
  }
  judge_lead(judged, contests, rope.label, kAccuracy);
  std::vector<std::string> notes = notes_of(contests);
  notes.push_back(rope.notes);
  add_notes(judged, notes);
  if (judged.verdict == ClaimVerdict::fails) leave_open_at_ceiling(judged, study, rope, *best, task, margin);
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
    Contest contest{.rival = rival, .lack = speeds.rival.lack, .notes = speeds.rival.notes};
    if (speeds.rope.decides() && speeds.rival.decides()) {
      const double margin = claim.threshold("speed_share") * statistics::mean(speeds.rope.values);
      contest.lead = difference(speeds.rival, speeds.rope, speeds.unit, margin, rivals().size());
    }
    contests.push_back(std::move(contest));
  }
  judge_lead(judged, contests, rope, "speed");
  std::vector<std::string> notes = notes_of(contests);
  notes.push_back(area.notes);
  add_notes(judged, notes);
  return judged;
}

JudgedClaim judge_position_agnostic(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double margin = claim.threshold("accuracy_points");
  const ClaimSample rope = study.accuracy(accuracy_rope(protocol), kCounting, protocol);
  const ClaimSample nope = study.accuracy("NoPE", kCounting, protocol);
  add_mean(judged, rope, kAccuracy, "%");
  add_mean(judged, nope, kAccuracy, "%");
  add_plain_rope(judged, study, kCounting);
  if (lacks(judged, {rope.lack, nope.lack})) return judged;
  const std::vector<Difference> leads = {difference(rope, nope, "points", margin)};
  const bool harm = leads[0].is_less();
  judge_no_more(judged, leads, {},
                {.holds = harm ? "position does harm" : "no gain of interest",
                 .fails = fmt::format("{} gains", rope.label),
                 .more = "a gain"},
                kAccuracy);
  add_notes(judged, {rope.notes, nope.notes});
  if (judged.verdict == ClaimVerdict::holds && !harm) {
    leave_open_at_ceiling(judged, study, rope, nope, {kCounting, ""}, margin);
  }
  return judged;
}

JudgedClaim judge_absolute_indexing(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double margin = claim.threshold("accuracy_points");
  const ClaimSample rope = study.accuracy("RoPE", kIndex, protocol);
  add_mean(judged, rope, kAccuracy, "%");
  add_mean(judged, study.accuracy("NoPE", kIndex, protocol), kAccuracy, "%");
  if (lacks(judged, {rope.lack})) return judged;
  std::vector<ClaimSample> rivals;
  std::vector<Lack> lack;
  std::vector<std::string> notes = {rope.notes};
  std::vector<Difference> leads;
  for (const char* encoding : {"Absolute", "Random"}) {
    rivals.push_back(study.accuracy(encoding, kIndex, protocol));
    add_mean(judged, rivals.back(), kAccuracy, "%");
    lack.push_back(rivals.back().lack);
    notes.push_back(rivals.back().notes);
    if (rivals.back().decides()) leads.push_back(difference(rope, rivals.back(), "points", margin, 2));
  }
  const bool is_worse = std::any_of(leads.begin(), leads.end(), [](const Difference& lead) { return lead.is_less(); });
  const Difference* least = judge_no_more(judged, leads, lack,
                                          {.holds = is_worse ? "RoPE is worse" : "no gain of interest",
                                           .fails = "RoPE gains over both, the better one too",
                                           .more = "a gain"},
                                          kAccuracy);
  add_notes(judged, notes);
  if (judged.verdict == ClaimVerdict::holds && !least->is_less()) {
    const ClaimSample& rival = least->second == rivals[0].label ? rivals[0] : rivals[1];
    leave_open_at_ceiling(judged, study, rope, rival, {kIndex, ""}, margin);
  }
  return judged;
}

JudgedClaim judge_few_heads(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const ClaimSample all = study.accuracy("RoPE", kDistance, protocol);
  add_mean(judged, all, kAccuracy, "%");
  if (lacks(judged, {all.lack})) return judged;
  const int64_t heads = heads_of(study.results(), cell_of(paper_encoding("RoPE"), kDistance, protocol));
  if (heads < 3) {
    decide(judged, ClaimVerdict::undetermined, fmt::format("two of {} heads are no small part of them", heads),
           "at least three heads");
    return judged;
  }
  std::vector<Lack> lack;
  std::vector<std::string> notes = {all.notes};
  std::vector<Difference> losses;
  for (const int64_t k : {int64_t{1}, int64_t{2}}) {
    const ClaimSample few = accuracy_sample(study.results(), rotary_heads_cell(k, heads, kDistance, protocol),
                                            fmt::format("{} of {} heads", k, heads));
    add_mean(judged, few, kAccuracy, "%");
    lack.push_back(few.lack);
    notes.push_back(few.notes);
    if (few.decides()) {
      losses.push_back(difference(all, few, "points", claim.threshold("accuracy_points"), 2));
    }
  }
  const std::string scope = heads == 16 ? "" : fmt::format(" of {} heads (the paper has 16)", heads);
  judge_no_more(judged, losses, lack,
                {.holds = fmt::format("one or two{} suffice", scope),
                 .fails = fmt::format("neither one nor two{} suffice", scope),
                 .more = "a loss"},
                kAccuracy);
  const std::optional<double> most = task_ceiling(study, cell_of(paper_encoding("RoPE"), kDistance, protocol));
  if (judged.verdict == ClaimVerdict::holds && most &&
      *most - statistics::mean(all.values) < claim.threshold("accuracy_points")) {
    judged.verdict = ClaimVerdict::undetermined;
    judged.reason = "All heads are at the task's ceiling, where a loss may not show. " + judged.reason;
    judged.needs = "a size or task at which encodings stay below the ceiling";
  }
  add_notes(judged, notes);
  return judged;
}

// The one cell in which angles are multiplied and relative must lead each of the other three.
JudgedClaim judge_principle(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double margin = claim.threshold("accuracy_points");
  const ClaimTask task = task_of(claim);
  const PrincipleEncodings& four = principle_encodings();
  const auto accuracy = [&](const PrincipleEncoding& entry) {
    return accuracy_sample(study.results(), {task.task, protocol, entry.encoding, task.variant}, entry.label);
  };
  const ClaimSample both = accuracy(four.multiplied_relative), multiplied = accuracy(four.multiplied_random),
                    relative = accuracy(four.added_relative), neither = accuracy(four.added_random);
  for (const ClaimSample* sample : {&both, &multiplied, &relative, &neither}) add_mean(judged, *sample, kAccuracy, "%");
  if (lacks(judged, {both.lack})) return judged;
  std::vector<Contest> contests;
  for (const ClaimSample* other : {&multiplied, &relative, &neither}) {
    contests.push_back(contest(both, *other, margin, 3));
  }
  judge_lead(judged, contests, both.label, kAccuracy);
  if (multiplied.decides() && relative.decides() && neither.decides()) {
    // What the two do together beyond the sum of what each does alone.
    const auto mean = [](const ClaimSample& sample) { return statistics::mean(sample.values); };
    const double interaction = mean(both) - mean(multiplied) - mean(relative) + mean(neither);
    const statistics::MeanDifference one = statistics::compare_means(both.runs(), multiplied.runs());
    const statistics::MeanDifference other = statistics::compare_means(relative.runs(), neither.runs());
    judged.evidence.push_back(
        {.what = "gain by relative angles where they are multiplied less that where they are added",
         .value = interaction,
         .unit = "points",
         .text = fmt::format("multiplied {} (95 % {} to {}), added {} (95 % {} to {})",
                             signed_figure(one.difference, "points"), bare_figure(one.low, "points"),
                             bare_figure(one.high, "points"), signed_figure(other.difference, "points"),
                             bare_figure(other.low, "points"), bare_figure(other.high, "points"))});
  }
  std::vector<std::string> notes = notes_of(contests);
  notes.push_back(both.notes);
  add_notes(judged, notes);
  if (judged.verdict != ClaimVerdict::fails) return judged;
  const std::optional<double> most = task_ceiling(study, {task.task, protocol, four.multiplied_relative.encoding, ""});
  double best = 0.0;
  for (const ClaimSample* other : {&multiplied, &relative, &neither}) {
    if (other->decides()) best = std::max(best, statistics::mean(other->values));
  }
  if (most && *most - best < margin && *most - statistics::mean(both.values) < margin) {
    judged.verdict = ClaimVerdict::undetermined;
    judged.reason = "Several of the four are at the task's ceiling, where no lead can show. " + judged.reason;
    judged.needs = "a size or task at which encodings stay below the ceiling";
  }
  return judged;
}

}  // namespace phasor::paper
