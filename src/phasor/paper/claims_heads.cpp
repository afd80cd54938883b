#include "phasor/paper/claims_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/special_numbers.h"
#include "phasor/paper/judging.h"
#include "phasor/statistics/concentration.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/proportion.h"
#include "phasor/study/summary/cell_heads.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor::paper {
namespace {

// Five of five runs are the fewest that show what more than half of all would be.
std::string few_runs_text(const HeadReading& heads) {
  const double best = statistics::clopper_pearson_lower(heads.runs(), heads.runs());
  return fmt::format("{} runs of {} can show at best that {:.2f} of all runs would be alike", heads.runs(), heads.label,
                     best);
}

bool is_too_few(const HeadReading& heads, double majority) {
  return !(statistics::clopper_pearson_lower(heads.runs(), heads.runs()) > majority);
}

// The smallest difference of shares that anybody would care about.
constexpr double kShareMargin = 0.05;

// Like every other verdict over seeds: fewer decide nothing (docs/ablation.md).
constexpr int64_t kLeastForCounterexample = 5;

// P(so many deposits or more) where each run is judged DEPOSIT by mistake with probability `wrong`.
double counterexample_p(const HeadReading& heads, double wrong) {
  if (heads.deposits() == 0 || heads.runs() < kLeastForCounterexample) return 1.0;
  return 1.0 - statistics::binomial_cumulative(static_cast<double>(heads.deposits() - 1),
                                               static_cast<double>(heads.runs()), wrong);
}

// So that what most runs are would be that of more than the share `majority` of all, by the exact bound.
std::string runs_to_decide_text(const HeadReading& heads, double majority) {
  const int64_t most = std::max(heads.deposits(), heads.without());
  constexpr int64_t kMost = 1000;
  for (int64_t runs = heads.runs() + 1; runs <= kMost; ++runs) {
    const int64_t alike = most * runs / heads.runs();
    if (statistics::clopper_pearson_lower(alike, runs) > majority) {
      return fmt::format("about {} runs, if they go on like these", runs);
    }
  }
  return "a size at which more than half of all runs are alike";
}

void decide_open(JudgedClaim& judged, const HeadReading& heads, double majority) {
  const bool few = is_too_few(heads, majority);
  decide(judged, ClaimVerdict::undetermined,
         few ? fmt::format("{}: {}", few_runs_text(heads), heads.counts_text())
             : fmt::format(
                   "{}: {}; neither DEPOSIT nor its absence is that of more than half of all runs, by the exact bound",
                   heads.label, heads.counts_text()),
         few ? "at least 5 finished runs that agree" : runs_to_decide_text(heads, majority));
}

// The head that ends as the deposit of a run, and whether it led from early on.
enum class Lead : uint8_t { early, late, unknown };

bool is_leading(const AblationRecord& snapshot, size_t layer, size_t head, double leading_share) {
  const std::vector<std::vector<double>>& drops = snapshot.position->loss_drops;
  if (layer >= drops.size() || head >= drops[layer].size()) return false;
  const statistics::Concentration shares = statistics::concentration(drops[layer]);
  return shares.defined && shares.top == static_cast<int64_t>(head) && shares.max_share >= leading_share;
}

Lead lead_of(const RunRecord& run, const Claim& claim) {
  const RunVerdict& verdict = run.ablation->position->judged.run;
  const auto layer = static_cast<size_t>(verdict.layer);
  const auto head = static_cast<size_t>(verdict.layers[layer].effect.top);
  // What is there once the task is learned is the finished model's.
  const double learned = run.steps_to_90 ? static_cast<double>(*run.steps_to_90) : static_cast<double>(run.steps);
  const double early = std::min(claim.threshold("early_share") * static_cast<double>(run.steps), learned);
  Lead lead = Lead::unknown;
  for (const AblationRecord& snapshot : run.snapshots) {
    if (!snapshot.position) continue;
    const bool leading = is_leading(snapshot, layer, head, claim.threshold("leading_share"));
    // Of the early ones the last one counts, of the others each.
    if (static_cast<double>(snapshot.step) <= early) {
      lead = leading ? Lead::early : Lead::late;
    } else if (!leading) {
      lead = Lead::late;
    }
  }
  return lead;
}

bool ends_as_deposit(const RunRecord& run) {
  return run.ablation && run.ablation->position && run.ablation->position->judged.run.verdict == Deposit::deposit;
}

// The first third of the layers, at least one.
int64_t early_layers(int64_t layers) { return std::max<int64_t>(1, layers / 3); }

// Which part of what position is worth, layer by layer, lies in the early ones. NaN for models of one layer, at the
// floor, and where the layer that matters most is not used.
double early_share(const RunRecord& run) {
  if (!run.ablation || !run.ablation->position) return kNaN;
  const RunVerdict& verdict = run.ablation->position->judged.run;
  if (verdict.layers.size() < 2 || used_effect(verdict, verdict.layer) == nullptr) return kNaN;
  double early = 0.0, all = 0.0;
  for (size_t l = 0; l < verdict.layers.size(); ++l) {
    const double cost = std::max(0.0, verdict.layers[l].effect.layer.value);
    if (static_cast<int64_t>(l) < early_layers(std::ssize(verdict.layers))) early += cost;
    all += cost;
  }
  return all > 0.0 ? early / all : kNaN;
}

// What taking p out costs beyond random vectors as long, in per cent of the intact accuracy: mean over the streams that
// enter the third layer and later ones.
double removal_cost(const RunRecord& run) {
  constexpr size_t kFirstLayer = 2;
  if (!run.ablation || !run.ablation->removal) return kNaN;
  const StreamRemoval& removal = *run.ablation->removal;
  double sum = 0.0;
  for (size_t l = kFirstLayer; l < removal.layers.size(); ++l) {
    const LayerRemoval& layer = removal.layers[l];
    double random = 0.0;
    for (const RemovalScore& draw : layer.random) random += draw.accuracy / static_cast<double>(layer.random.size());
    sum += random - layer.means.accuracy;
  }
  const double layers = static_cast<double>(removal.layers.size()) - static_cast<double>(kFirstLayer);
  return layers > 0.0 && removal.intact.accuracy > 0.0 ? 100.0 * sum / layers / removal.intact.accuracy : kNaN;
}

// How many streams that is the mean of.
int64_t removal_streams(const RunRecord& run) {
  const int64_t layers = run.ablation && run.ablation->removal ? std::ssize(run.ablation->removal->layers) : 0;
  return std::max<int64_t>(0, layers - 2);
}

double position_in_last_stream(const RunRecord& run) {
  if (!run.ablation || !run.ablation->removal || run.ablation->removal->layers.empty()) return kNaN;
  return run.ablation->removal->layers.back().norm_share;
}

// The continuous answer to a claim about a pattern: how much larger the largest share of a head is with RoPE.
void add_share_differences(JudgedClaim& judged, const ClaimStudy& study, const ClaimSample& rope,
                           const std::vector<std::string>& others, const std::string& task) {
  std::vector<std::string> said;
  for (const std::string& other : others) {
    const ClaimSample share = study.largest_share(other, task, judged.protocol);
    if (!rope.decides() || !share.decides()) continue;
    const Difference found = difference(rope, share, "", kShareMargin);
    judged.evidence.push_back(found.evidence("largest share of a head by position"));
    said.push_back(found.text());
  }
  if (!said.empty()) judged.reason += fmt::format(" Largest share of a head: {}.", joined(said, "; "));
}

}  // namespace

JudgedClaim judge_rope_deposit(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double majority = claim.threshold("majority");
  const HeadReading heads = study.heads("RoPE", kDistance, protocol, Question::position);
  add_heads(judged, heads, Question::position);
  add_heads(judged, study.heads("RoPE", kDistance, protocol, Question::importance), Question::importance);
  if (protocol != kClean) {
    add_heads(judged, study.heads("RoPE+Absolute", kDistance, protocol, Question::position), Question::position);
  }
  if (lacks(judged, {heads.lack})) return judged;
  const ClaimSample share = study.largest_share("RoPE", kDistance, protocol);
  const statistics::MeanDifference mean =
      share.decides() ? statistics::mean_of_runs(share.runs()) : statistics::MeanDifference();
  if (heads.mostly_deposit(majority)) {
    decide(judged, ClaimVerdict::holds, heads.verdict->reason);
  } else if (heads.mostly_without(majority)) {
    decide(judged, ClaimVerdict::fails, fmt::format("{}: most runs have no deposit", heads.counts_text()));
  } else if (mean.decides() && mean.high < claim.threshold("half")) {
    decide(judged, ClaimVerdict::fails,
           fmt::format("the largest share of a head is {}, less than half ({})", mean_text(share, ""),
                       heads.counts_text()));
  } else {
    decide_open(judged, heads, majority);
  }
  add_share_differences(judged, study, share, {"Absolute", "Random", "Relative", "ALiBi"}, kDistance);
  add_notes(judged, {heads.notes});
  return judged;
}

JudgedClaim judge_additive_deposits(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double majority = claim.threshold("majority");
  std::vector<HeadReading> all;
  std::vector<double> p;
  std::vector<Lack> lack;
  std::vector<std::string> notes;
  add_heads(judged, study.heads("RoPE", kDistance, protocol, Question::position), Question::position);  // beside them
  for (const char* encoding : {"Absolute", "Random", "Relative", "ALiBi"}) {
    all.push_back(study.heads(encoding, kDistance, protocol, Question::position));
    const HeadReading& heads = all.back();
    add_heads(judged, heads, Question::position);
    add_heads(judged, study.heads(encoding, kDistance, protocol, Question::importance), Question::importance);
    p.push_back(heads.decides() ? counterexample_p(heads, claim.threshold("wrong_verdicts")) : 1.0);
    lack.push_back(heads.lack);
    notes.push_back(heads.notes);
  }
  const std::vector<double> adjusted = statistics::holm(p);
  const auto strongest = static_cast<size_t>(std::min_element(adjusted.begin(), adjusted.end()) - adjusted.begin());
  const HeadReading& counterexample = all[strongest];
  const auto open =
      std::find_if(all.begin(), all.end(), [&](const HeadReading& heads) { return !heads.mostly_without(majority); });
  if (adjusted[strongest] <= kClaimLevel) {
    decide(judged, ClaimVerdict::fails,
           fmt::format("{} has {}; wrong verdicts would give so many with p = {} (after Holm)", counterexample.label,
                       counterexample.counts_text(), p_text(adjusted[strongest])));
  } else if (!lacks(judged, lack)) {
    if (open == all.end()) {
      decide(judged, ClaimVerdict::holds,
             fmt::format("most runs of each of the four have no deposit; the largest number of deposits has {}: {}",
                         counterexample.label, counterexample.counts_text()));
    } else {
      decide_open(judged, *open, majority);
    }
  }
  add_share_differences(judged, study, study.largest_share("RoPE", kDistance, protocol),
                        {"Absolute", "Random", "Relative", "ALiBi"}, kDistance);
  add_notes(judged, notes);
  return judged;
}

JudgedClaim judge_rope_concentrates(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const std::vector<std::string> others = {"Absolute", "Random", "Relative", "ALiBi"};
  const ClaimSample rope = study.largest_share("RoPE", kDistance, protocol);
  add_mean(judged, rope, "largest share of a head by position", "");
  if (lacks(judged, {rope.lack})) return judged;
  std::vector<Contest> contests;
  for (const std::string& other : others) {
    const ClaimSample share = study.largest_share(other, kDistance, protocol);
    add_mean(judged, share, "largest share of a head by position", "");
    Contest contest{.rival = other, .lack = share.lack, .notes = share.notes};
    if (share.decides()) contest.lead = difference(rope, share, "", claim.threshold("share"), others.size());
    contests.push_back(std::move(contest));
  }
  judge_lead(judged, contests, "RoPE", "largest share of a head by position");
  std::vector<std::string> notes = notes_of(contests);
  notes.push_back(rope.notes);
  add_notes(judged, notes);
  return judged;
}

JudgedClaim judge_counting_deposit(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double majority = claim.threshold("majority");
  const HeadReading heads = study.heads("RoPE", kCounting, protocol, Question::position);
  add_heads(judged, heads, Question::position);
  add_heads(judged, study.heads("RoPE", kCounting, protocol, Question::importance), Question::importance);
  if (lacks(judged, {heads.lack})) return judged;
  const double p = counterexample_p(heads, claim.threshold("wrong_verdicts"));
  if (p <= kClaimLevel) {
    decide(judged, ClaimVerdict::fails,
           fmt::format("{}; wrong verdicts would give so many with p = {}", heads.counts_text(), p_text(p)));
  } else if (heads.mostly_without(majority)) {
    decide(judged, ClaimVerdict::holds, fmt::format("{}: most runs have no deposit", heads.counts_text()));
  } else {
    decide_open(judged, heads, majority);
  }
  ClaimSample distance = study.largest_share("RoPE", kDistance, protocol),
              counting = study.largest_share("RoPE", kCounting, protocol);
  distance.label = "RoPE on distance";
  counting.label = "on counting";
  if (distance.decides() && counting.decides()) {
    const Difference found = difference(distance, counting, "", kShareMargin);
    judged.evidence.push_back(found.evidence("largest share of a head by position"));
    judged.reason += fmt::format(" Largest share of a head: {}.", found.text());
  }
  add_notes(judged, {heads.notes});
  return judged;
}

JudgedClaim judge_early_deposit(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double majority = claim.threshold("majority");
  const HeadReading heads = study.heads("RoPE", kDistance, protocol, Question::position);
  if (lacks(judged, {heads.lack})) return judged;
  int64_t early = 0, late = 0, unknown = 0;
  for (const RunRecord* run : finished_runs(study.results(), cell_of(paper_encoding("RoPE"), kDistance, protocol))) {
    if (!ends_as_deposit(*run)) continue;
    const Lead lead = lead_of(*run, claim);
    ++(lead == Lead::early ? early : lead == Lead::late ? late : unknown);
  }
  const int64_t timed = early + late;
  if (timed > 0) {
    const statistics::Interval interval = statistics::clopper_pearson(early, timed);
    judged.evidence.push_back({.what = "share of deposits whose head led from early on",
                               .value = static_cast<double>(early) / static_cast<double>(timed),
                               .low = interval.low,
                               .high = interval.high,
                               .text = fmt::format("{} of {}", early, timed)});
  }
  const std::string numbers =
      fmt::format("runs of RoPE that end as DEPOSIT: {}; led from early on: {}, did not: {}, not measured early: {}",
                  timed + unknown, early, late, unknown);
  const auto mostly = [&](int64_t count) {
    return timed > 0 && statistics::clopper_pearson_lower(count, timed) > majority;
  };
  if (timed + unknown == 0) {
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("no run of RoPE ends as DEPOSIT, so there is nothing to time: {}", heads.counts_text()),
           "runs with a deposit");
  } else if (mostly(early)) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (mostly(late)) {
    decide(judged, ClaimVerdict::fails, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers,
           "at least 5 runs with a deposit that agree, with snapshots in the first quarter of training");
  }
  add_notes(judged, {heads.notes});
  return judged;
}

JudgedClaim judge_early_layers(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double half = claim.threshold("half");
  const CellName cell = cell_of(paper_encoding("RoPE"), kDistance, protocol);
  const ClaimSample share = study.sample("RoPE", kDistance, protocol, "share of early layers", early_share);
  add_mean(judged, share, "share of position's worth that lies in the first third of the layers", "");
  int64_t deposits = 0, early = 0, layers = 0;
  for (const RunRecord* run : finished_runs(study.results(), cell)) {
    layers = run->layers;
    if (!ends_as_deposit(*run)) continue;
    ++deposits;
    if (run->ablation->position->judged.run.layer < early_layers(run->layers)) ++early;
  }
  if (deposits > 0) {
    const statistics::Interval interval = statistics::clopper_pearson(early, deposits);
    judged.evidence.push_back({.what = "share of deposits that lie in the first third of the layers",
                               .value = static_cast<double>(early) / static_cast<double>(deposits),
                               .low = interval.low,
                               .high = interval.high,
                               .text = fmt::format("{} of {}", early, deposits)});
  }
  if (lacks(judged, {share.lack})) return judged;
  const statistics::MeanDifference mean = statistics::mean_of_runs(share.runs());
  const std::string numbers =
      fmt::format("{} of what position is worth lies in the first {} of {} layers; deposits there: {} of {}",
                  mean_text(share, ""), early_layers(layers), layers, early, deposits);
  if (mean.decides() && mean.low > half) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (mean.decides() && mean.high < half) {
    decide(judged, ClaimVerdict::fails, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers, "more runs");
  }
  add_notes(judged, {share.notes});
  return judged;
}

JudgedClaim judge_mla_deposit(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double majority = claim.threshold("majority"), margin = claim.threshold("accuracy_points");
  const HeadReading rope = study.heads("RoPE", kDistance, protocol, Question::position);
  const HeadReading mla = study.heads("MLA", kDistance, protocol, Question::position);
  for (const HeadReading* heads : {&rope, &mla}) add_heads(judged, *heads, Question::position);
  add_heads(judged, study.heads("MLA", kDistance, protocol, Question::importance), Question::importance);
  if (protocol == kClean) {
    add_heads(judged, study.heads(matched_cell(), "RoPE with as many parameters", Question::position),
              Question::position);
  }
  const ClaimSample rope_accuracy = study.accuracy("RoPE", kDistance, protocol),
                    mla_accuracy = study.accuracy("MLA", kDistance, protocol);
  if (lacks(judged, {rope.lack, mla.lack, rope_accuracy.lack, mla_accuracy.lack})) return judged;
  const Difference loss = difference(rope_accuracy, mla_accuracy, "points", margin);
  judged.evidence.push_back(loss.evidence("test accuracy"));
  if (mla.mostly_deposit(majority)) {
    decide(judged, ClaimVerdict::fails, fmt::format("MLA has a deposit itself: {}", mla.counts_text()));
  } else if (loss.is_more()) {
    decide(judged, ClaimVerdict::fails, fmt::format("MLA loses accuracy: {}", loss.text()));
  } else if (rope.mostly_without(majority)) {
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("RoPE has no deposit here that MLA could remove: {}", rope.counts_text()),
           "a size at which RoPE has a deposit");
  } else if (!rope.mostly_deposit(majority)) {
    decide_open(judged, rope, majority);
  } else if (!mla.mostly_without(majority)) {
    decide_open(judged, mla, majority);
  } else if (!loss.is_no_more()) {
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("the deposit goes, but the interval of a loss of accuracy holds both 0 and {}: {}",
                       figure(margin, "points"), loss.text()),
           loss.runs_to_decide_text());
  } else {
    decide(judged, ClaimVerdict::holds,
           fmt::format("RoPE: {}; MLA: {}; {}", rope.counts_text(), mla.counts_text(), loss.text()));
  }
  add_share_differences(judged, study, study.largest_share("RoPE", kDistance, protocol), {"MLA"}, kDistance);
  add_notes(judged, {rope.notes, mla.notes});
  return judged;
}

JudgedClaim judge_activation_position(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double margin = claim.threshold("removal_percent");
  const auto cost = [&](const char* encoding) {
    return study.sample(encoding, kDistance, protocol, "removal of p behind the second layer", removal_cost);
  };
  const ClaimSample absolute = cost("Absolute"), hybrid = cost("RoPE+Absolute");
  for (const ClaimSample* sample : {&absolute, &hybrid}) {
    add_mean(judged, *sample, "accuracy that p is worth behind the second layer", "%");
  }
  for (const char* encoding : {"Absolute", "RoPE+Absolute", "RoPE"}) {
    add_mean(judged, study.sample(encoding, kDistance, protocol, "position in the stream", position_in_last_stream),
             "share of p in the stream that enters the last layer", "");
  }
  if (lacks(judged, {absolute.lack, hybrid.lack})) return judged;
  const statistics::MeanDifference left = statistics::mean_of_runs(hybrid.runs());
  const statistics::MeanDifference without_rope = statistics::mean_of_runs(absolute.runs());
  const Difference less = difference(absolute, hybrid, "%", margin);
  judged.evidence.push_back(less.evidence("accuracy that p is worth behind the second layer"));
  const auto runs = finished_runs(study.results(), cell_of(paper_encoding("Absolute"), kDistance, protocol));
  const int64_t streams = removal_streams(*runs.front());
  const std::string numbers =
      fmt::format("behind the second layer ({} stream{}) p is worth {} of the accuracy of RoPE+Absolute; {}", streams,
                  streams == 1 ? "" : "s", mean_text(hybrid, "%"), less.text());
  if (left.low > margin) {
    decide(judged, ClaimVerdict::fails, "it is still used: " + numbers);
  } else if (!(without_rope.low > margin)) {
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("without RoPE it is not used there either, so that there is nothing to suppress: {} of "
                       "the accuracy of Absolute; {}",
                       mean_text(absolute, "%"), numbers),
           "a size at which Absolute uses positions behind the second layer");
  } else if (less.is_no_more()) {
    decide(judged, ClaimVerdict::fails, "RoPE changes nothing of interest: " + numbers);
  } else if (left.high < margin && less.is_more()) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers, "more seeds");
  }
  add_notes(judged, {absolute.notes, hybrid.notes});
  return judged;
}

}  // namespace phasor::paper
