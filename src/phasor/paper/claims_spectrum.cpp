#include "phasor/paper/claims_spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/paper/judging.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/proportion.h"
#include "phasor/statistics/summary.h"

namespace phasor::paper {
namespace {

// One number of the spectra; NaN where they were not measured.
template <class Value>
RunNumber of_spectrum(const Value& value) {
  return [value](const RunRecord& run) { return run.spectrum ? value(*run.spectrum) : kNaN; };
}

double contraction_before(const SpectrumRecord& spectrum) { return spectrum.start.contraction; }
double contraction_after(const SpectrumRecord& spectrum) { return spectrum.end.contraction; }

double share_below_one(const std::vector<double>& contractions) {
  const auto below = std::count_if(contractions.begin(), contractions.end(), [](double ratio) { return ratio < 1.0; });
  return contractions.empty() ? kNaN : static_cast<double>(below) / static_cast<double>(contractions.size());
}

ClaimSample toeplitz(const ClaimStudy& study, const std::string& encoding, const std::string& protocol) {
  return study.sample(encoding, kDistance, protocol, "Toeplitz fit",
                      of_spectrum([](const SpectrumRecord& spectrum) { return spectrum.position_toeplitz; }));
}

double gap(const RunRecord& run) { return 100.0 * (run.train_accuracy - run.test_accuracy); }

// More of random parameters that separate, seed by seed and by exact intervals of all draws together.
struct SpaceComparison {
  bool larger = true;     // rope's share exceeds relative's in every seed
  bool no_larger = true;  // it is at most (1 + excess) times as large in every seed
  const SeedSpread* rope = nullptr;
  const SeedSpread* relative = nullptr;
  int64_t draws = 0, rope_hits = 0, relative_hits = 0;
};

int64_t draws_of(const SeparationTableOptions& options) {
  return options.samples * std::ssize(options.wanted) * options.seeds;
}

int64_t hits_of(const SeedSpread& share, int64_t draws) {
  return std::llround(share.mean * static_cast<double>(draws));
}

// With content fixed some distance wins at every draw, so that all encodings win alike often: there the share that wins
// clearly is compared. With content varied a distance has to win for all contents at once, which clearly hardly
// happens.
SpaceComparison compare_space(const SeparationTable& table, bool varied, double excess) {
  const auto share = [&](SeparationEncoding encoding) {
    for (const SeparationRow& row : table.rows) {
      if (row.encoding == encoding && row.varied == varied) return varied ? &row.positive : &row.clear;
    }
    fail("the table of separation has no row of {}", name(encoding));
  };
  SpaceComparison result{.rope = share(SeparationEncoding::rope), .relative = share(SeparationEncoding::relative)};
  result.draws = draws_of(table.options);
  result.rope_hits = hits_of(*result.rope, result.draws);
  result.relative_hits = hits_of(*result.relative, result.draws);
  const statistics::Interval rope = statistics::clopper_pearson(result.rope_hits, result.draws);
  const statistics::Interval relative = statistics::clopper_pearson(result.relative_hits, result.draws);
  result.larger = rope.low > relative.high;
  result.no_larger = rope.high <= (1.0 + excess) * relative.low;
  for (size_t seed = 0; seed < result.rope->seeds.size(); ++seed) {
    const double own = result.rope->seeds[seed], other = result.relative->seeds[seed];
    result.larger = result.larger && own > other;
    result.no_larger = result.no_larger && own <= (1.0 + excess) * other;
  }
  return result;
}

// Who gets all test samples right has no gap, whatever it learned by heart.
bool is_at_ceiling(const ClaimStudy& study, const std::string& encoding, const std::string& protocol, double margin) {
  const std::optional<double> most = task_ceiling(study, encoding, kDistance, protocol);
  const ClaimSample tested = study.sample(encoding, kDistance, protocol, "test accuracy", test_percent);
  return most && tested.decides() && *most - statistics::mean(tested.values) < margin;
}

void decide_overfitting(JudgedClaim& judged, const std::optional<Difference>& larger_gap,
                        const std::optional<Difference>& lower_fit, const std::vector<Lack>& lack, bool at_ceiling) {
  if (larger_gap && larger_gap->is_no_more() && at_ceiling) {
    decide(judged, ClaimVerdict::undetermined,
           "Random is at the task's ceiling on test samples, where no gap can show: " + larger_gap->text(),
           "a size or task at which encodings stay below the ceiling");
  } else if (larger_gap && larger_gap->is_no_more()) {
    decide(judged, ClaimVerdict::fails, "the gap is surely no larger: " + larger_gap->text());
  } else if (lower_fit && lower_fit->is_no_more()) {
    decide(judged, ClaimVerdict::fails, "the Toeplitz fit is surely no lower: " + lower_fit->text());
  } else if (!lacks(judged, lack)) {
    const std::string numbers = fmt::format("gap: {}; Toeplitz fit: {}", larger_gap->text(), lower_fit->text());
    if (larger_gap->is_more() && lower_fit->is_more()) {
      decide(judged, ClaimVerdict::holds, numbers);
    } else if (larger_gap->is_too_small()) {
      decide(judged, ClaimVerdict::undetermined, fmt::format("{}; {}", too_small_text(*larger_gap), numbers),
             runs_needed_text(larger_gap->family));
    } else {
      decide(judged, ClaimVerdict::undetermined, numbers, "more seeds");
    }
  }
}

}  // namespace

JudgedClaim judge_contraction(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double no_contraction = 1.0 - claim.threshold("least_contraction");
  const auto sample = [&](const char* encoding, const RunNumber& number) {
    return study.sample(encoding, kDistance, protocol, "contraction", number);
  };
  const ClaimSample before = sample("RoPE", of_spectrum(contraction_before));
  const ClaimSample after = sample("RoPE", of_spectrum(contraction_after));
  add_mean(judged, before, "contraction before training", "");
  add_mean(judged, after, "contraction after training", "");
  add_mean(judged, sample("RoPE", of_spectrum([](const SpectrumRecord& spectrum) {
                            return share_below_one(spectrum.end_contractions);
                          })),
           "share of trained heads that contract", "");
  add_mean(judged, sample("MLA", of_spectrum(contraction_after)), "contraction after training", "");
  for (const char* encoding : {"NoPE", "RoPE"}) {
    add_mean(judged,
             sample(encoding, of_spectrum([](const SpectrumRecord& spectrum) { return spectrum.end.product_norm; })),
             "sigma_1 of the products after training", "");
  }
  if (lacks(judged, {before.lack, after.lack})) return judged;
  const statistics::MeanInterval at_start = statistics::mean_interval(before.values);
  const statistics::MeanInterval at_end = statistics::mean_interval(after.values);
  const std::string numbers = fmt::format("sigma_1 with angles / without is {} before training and {} after",
                                          mean_text(before, ""), mean_text(after, ""));
  if (at_start.low > no_contraction || at_end.low > no_contraction) {
    decide(judged, ClaimVerdict::fails, fmt::format("{}: surely not even 1 % of contraction", numbers));
  } else if (at_start.high < 1.0 && at_end.high < 1.0) {
    decide(judged, ClaimVerdict::holds, numbers + ", on average over heads");
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers, "more seeds");
  }
  leave_out(judged, {before.left_out});
  return judged;
}

JudgedClaim judge_solution_space(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const SeparationTable& table = study.separation();
  const double excess = claim.threshold("share_excess");
  bool larger = true, no_larger = false;
  std::vector<std::string> texts;
  for (const bool varied : {false, true}) {
    const SpaceComparison found = compare_space(table, varied, excess);
    larger = larger && found.larger;
    no_larger = no_larger || found.no_larger;
    const char* content = varied ? "content varied" : "clearly, content fixed";
    for (const auto& [label, share] : {std::pair("RoPE", found.rope), std::pair("relative bias", found.relative)}) {
      judged.evidence.push_back(
          {.what = fmt::format("share of random parameters that separate, {}, {}", label, content),
           .value = share->mean,
           .low = share->least,
           .high = share->most,
           .unit = "",
           .text = fmt::format("range of {} seeds", share->seeds.size())});
    }
    texts.push_back(fmt::format("of {} random parameters {} separate with RoPE, {} with a relative bias ({})",
                                found.draws, found.rope_hits, found.relative_hits, content));
  }
  for (const SeparationClaim& best : table.claims) {
    judged.evidence.push_back({.what = best.claim,
                               .value = best.left - best.right,
                               .text = fmt::format("{:.3g} against {:.3g}; larger in {} of {} seeds, smaller in {}",
                                                   best.left, best.right, best.favourable, best.seeds, best.contrary)});
  }
  const int64_t seeds = table.options.seeds;
  const std::string numbers = fmt::format("in a game where both may spend {:.3g} logits (docs/theory.md): {}",
                                          table.budget, joined(texts, "; "));
  if (seeds < 5) {
    decide(judged, ClaimVerdict::undetermined, fmt::format("{} seeds are too few", seeds), "at least 5 seeds");
  } else if (no_larger) {
    decide(judged, ClaimVerdict::fails, numbers);
  } else if (larger) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, fmt::format("neither is surely larger, {}", numbers),
           "more random parameters and seeds");
  }
  return judged;
}

JudgedClaim judge_additive_states(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double most = claim.threshold("interaction_share");
  std::vector<ClaimSample> samples;
  std::vector<Lack> lack;
  std::vector<std::string> left_out;
  for (const PaperEncoding& encoding : paper_encodings()) {
    const bool is_needed = encoding.name == "Absolute" || encoding.name == "RoPE";
    if (!is_needed && study.results().find(cell_of(encoding, kDistance, protocol)) == nullptr) continue;
    samples.push_back(
        study.sample(encoding.name, kDistance, protocol, "interaction of word and place",
                     of_spectrum([](const SpectrumRecord& spectrum) { return spectrum.stream_interaction; })));
    add_mean(judged, samples.back(), "share of interaction in the streams", "");
    lack.push_back(samples.back().lack);
    left_out.push_back(samples.back().left_out);
  }
  const double level = 1.0 - kClaimLevel / static_cast<double>(samples.size());
  const ClaimSample* broken = nullptr;
  const ClaimSample* widest = nullptr;
  const auto high = [](const ClaimSample& sample) { return statistics::mean_interval(sample.values).high; };
  for (const ClaimSample& sample : samples) {
    if (!sample.decides()) continue;
    if (statistics::mean_interval(sample.values, level).low > most) broken = &sample;
    if (widest == nullptr || high(sample) > high(*widest)) widest = &sample;
  }
  if (broken != nullptr) {
    decide(judged, ClaimVerdict::fails,
           fmt::format("interaction of word and place is {} of the states' variance in {}", mean_text(*broken, ""),
                       broken->label));
  } else if (!lacks(judged, lack)) {
    const std::string numbers = fmt::format("interaction of word and place is at most {} of the states' variance ({})",
                                            mean_text(*widest, ""), widest->label);
    const bool holds = high(*widest) < most;
    decide(judged, holds ? ClaimVerdict::holds : ClaimVerdict::undetermined, numbers, holds ? "" : "more seeds");
  }
  leave_out(judged, left_out);
  return judged;
}

JudgedClaim judge_toeplitz(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double least = claim.threshold("toeplitz_r2");
  const ClaimSample absolute = toeplitz(study, "Absolute", protocol);
  add_mean(judged, absolute, "adjusted R2 of the positional Gram by distance", "");
  add_mean(judged, toeplitz(study, "Random", protocol), "adjusted R2 of the positional Gram by distance", "");
  if (lacks(judged, {absolute.lack})) return judged;
  const statistics::MeanInterval r2 = statistics::mean_interval(absolute.values);
  const std::string numbers =
      fmt::format("distance explains {} of the positional Gram of trained heads", mean_text(absolute, ""));
  if (r2.low > least) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (r2.high < least) {
    decide(judged, ClaimVerdict::fails, fmt::format("{}, not {:g}", numbers, least));
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers, "more seeds");
  }
  leave_out(judged, {absolute.left_out});
  return judged;
}

JudgedClaim judge_random_overfits(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const auto gaps = [&](const char* encoding) {
    return study.sample(encoding, kDistance, protocol, "generalisation gap", gap);
  };
  const ClaimSample random_gap = gaps("Random"), absolute_gap = gaps("Absolute");
  const ClaimSample random_fit = toeplitz(study, "Random", protocol),
                    absolute_fit = toeplitz(study, "Absolute", protocol);
  for (const ClaimSample* sample : {&random_gap, &absolute_gap}) {
    add_mean(judged, *sample, "training accuracy - test accuracy", "points");
  }
  for (const ClaimSample* sample : {&random_fit, &absolute_fit}) {
    add_mean(judged, *sample, "adjusted R2 of the positional Gram by distance", "");
  }
  std::optional<Difference> larger_gap, lower_fit;
  std::vector<Difference*> family;
  if (random_gap.decides() && absolute_gap.decides()) {
    larger_gap = difference(random_gap, absolute_gap, "points", claim.threshold("accuracy_points"));
    family.push_back(&*larger_gap);
  }
  if (random_fit.decides() && absolute_fit.decides()) {
    lower_fit = difference(absolute_fit, random_fit, "of R2", claim.threshold("toeplitz_r2"));
    family.push_back(&*lower_fit);
  }
  adjust(family, 2);
  if (larger_gap) judged.evidence.push_back(larger_gap->evidence("gap"));
  if (lower_fit) judged.evidence.push_back(lower_fit->evidence("Toeplitz fit"));
  decide_overfitting(judged, larger_gap, lower_fit,
                     {random_gap.lack, absolute_gap.lack, random_fit.lack, absolute_fit.lack},
                     is_at_ceiling(study, "Random", protocol, claim.threshold("accuracy_points")));
  leave_out(judged, {random_gap.left_out, absolute_gap.left_out});
  return judged;
}

}  // namespace phasor::paper
