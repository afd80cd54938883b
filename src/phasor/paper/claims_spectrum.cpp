#include "phasor/paper/claims_spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/paper/judging.h"
#include "phasor/statistics/summary.h"

namespace phasor::paper {
namespace {

// One number of the spectra; NaN where they were not measured.
template <class Value>
RunNumber of_spectrum(const Value& value) {
  return [value](const RunRecord& run) { return run.spectrum ? value(*run.spectrum) : kNaN; };
}

double share_below_one(const std::vector<double>& contractions) {
  const auto below = std::count_if(contractions.begin(), contractions.end(), [](double ratio) { return ratio < 1.0; });
  return contractions.empty() ? kNaN : static_cast<double>(below) / static_cast<double>(contractions.size());
}

ClaimSample toeplitz(const ClaimStudy& study, const std::string& encoding, const std::string& protocol) {
  return study.sample(encoding, kDistance, protocol, "Toeplitz share",
                      of_spectrum([](const SpectrumRecord& spectrum) { return spectrum.gram_toeplitz; }));
}

double gap(const RunRecord& run) { return 100.0 * (run.train_accuracy - run.test_accuracy); }

const SeparationRow& separation_row(const SeparationTable& table, SeparationEncoding encoding,
                                    SeparationContent content) {
  for (const SeparationRow& row : table.rows) {
    if (row.encoding == encoding && row.content == content) return row;
  }
  fail("the table of separation has no row of {} with content {}", name(encoding), name(content));
}

Evidence seeds_evidence(const std::string& what, const SeedSpread& spread) {
  return {.what = what,
          .value = spread.mean,
          .low = spread.least,
          .high = spread.most,
          .unit = "",
          .text = fmt::format("range of {} seeds", spread.seeds.size())};
}

// Spectra before and after training.
struct Composition {
  const char* when;
  double SpectrumRecord::*number;
};
constexpr Composition kCompositions[] = {{"before training", &SpectrumRecord::start_composition},
                                         {"after training", &SpectrumRecord::end_composition}};

// Encodings that add: to the embeddings or to the logits. The study must have those that are needed.
struct AdditiveEncoding {
  const char* name;
  bool needed;
};
constexpr AdditiveEncoding kAdditive[] = {{"Absolute", true}, {"ALiBi", true}, {"Random", false}, {"Relative", false}};

ClaimSample composition_of(const ClaimStudy& study, const std::string& encoding, const std::string& protocol,
                           const Composition& composition) {
  return study.sample(encoding, kDistance, protocol, fmt::format("composition {}", composition.when),
                      of_spectrum([&](const SpectrumRecord& spectrum) { return spectrum.*composition.number; }));
}

// What a stream has of position, alone and with the word, behind the first layer.
double inner_positional(const SpectrumRecord& spectrum) { return spectrum.inner_position + spectrum.inner_interaction; }
double inner_ratio(const SpectrumRecord& spectrum) { return spectrum.inner_interaction / inner_positional(spectrum); }

const BoundRecord* bound_of(const RunRecord& run, const std::string& name) {
  if (!run.spectrum) return nullptr;
  for (const BoundRecord& bound : run.spectrum->bounds) {
    if (bound.name == name && bound.cases > 0) return &bound;
  }
  return nullptr;
}

constexpr const char* kEigenvalueBounds[] = {"Schur, largest eigenvalue", "Schur, smallest eigenvalue"};

// Which share of heads and sequences keeps both ends of the bounds, whichever is kept less often.
double bounds_kept(const RunRecord& run) {
  double least = 1.0;
  for (const char* name : kEigenvalueBounds) {
    const BoundRecord* bound = bound_of(run, name);
    if (bound == nullptr) return kNaN;
    least = std::min(least, static_cast<double>(bound->held) / static_cast<double>(bound->cases));
  }
  return least;
}

// Who gets all test samples right has no gap, whatever it learned by heart.
bool is_at_ceiling(const ClaimStudy& study, const std::string& encoding, const std::string& protocol, double margin) {
  const std::optional<double> most = task_ceiling(study, cell_of(paper_encoding(encoding), kDistance, protocol));
  const ClaimSample tested = study.accuracy(encoding, kDistance, protocol);
  return most && tested.decides() && *most - statistics::mean(tested.values) < margin;
}

void decide_overfitting(JudgedClaim& judged, const std::optional<Difference>& larger_gap,
                        const std::optional<Difference>& lower_fit, const std::vector<Lack>& lack, bool at_ceiling) {
  if (larger_gap && larger_gap->is_no_more() && at_ceiling) {
    decide(judged, ClaimVerdict::undetermined,
           "Random is at the task's ceiling on test samples, where no gap can show: " + larger_gap->text(),
           "a size or task at which encodings stay below the ceiling");
  } else if (larger_gap && larger_gap->is_no_more()) {
    decide(judged, ClaimVerdict::fails, "the gap is no larger: " + larger_gap->text());
  } else if (lower_fit && lower_fit->is_no_more()) {
    decide(judged, ClaimVerdict::fails, "the Toeplitz share is no lower: " + lower_fit->text());
  } else if (!lacks(judged, lack)) {
    const std::string numbers = fmt::format("gap: {}; Toeplitz share: {}", larger_gap->text(), lower_fit->text());
    if (larger_gap->is_more() && lower_fit->is_more()) {
      decide(judged, ClaimVerdict::holds, numbers);
    } else {
      decide(judged, ClaimVerdict::undetermined, numbers,
             (larger_gap->is_more() ? *lower_fit : *larger_gap).runs_to_decide_text());
    }
  }
}

}  // namespace

JudgedClaim judge_contraction(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double margin = claim.threshold("least_contraction");
  std::vector<Lack> lack;
  std::vector<std::string> notes, means;
  std::vector<Difference> leads;  // of an additive encoding's ratio over RoPE's
  bool is_contracted = true;      // below 1, at both times
  const char* none = nullptr;     // when there is no contraction of interest
  for (const Composition& composition : kCompositions) {
    const ClaimSample rope = composition_of(study, "RoPE", protocol, composition);
    const std::string what =
        fmt::format("sigma_1 of row-centred logits over that of content alone, {}", composition.when);
    add_mean(judged, rope, what, "");
    lack.push_back(rope.lack);
    notes.push_back(rope.notes);
    for (const AdditiveEncoding& additive : kAdditive) {
      const ClaimSample other = composition_of(study, additive.name, protocol, composition);
      add_mean(judged, other, what, "");
      if (additive.needed) lack.push_back(other.lack);
      if (rope.decides() && other.decides()) {
        leads.push_back(difference(other, rope, "", margin, 2 * std::size(kAdditive)));
        leads.back().second = fmt::format("RoPE ({})", composition.when);
        judged.evidence.push_back(leads.back().evidence(what));
      }
    }
    if (!rope.decides()) continue;
    const statistics::MeanDifference mean = statistics::mean_of_runs(rope.runs());
    is_contracted = is_contracted && mean.decides() && mean.high < 1.0;
    if (mean.decides() && mean.low > 1.0 - margin) none = composition.when;
    means.push_back(fmt::format("{} {}", mean_text(rope, ""), composition.when));
  }
  // Beside it, the older reading: the same queries and keys with all angles at zero, nothing centred.
  const auto sample = [&](const char* encoding, const auto& number) {
    return study.sample(encoding, kDistance, protocol, "contraction", of_spectrum(number));
  };
  add_mean(judged, sample("RoPE", [](const SpectrumRecord& spectrum) { return spectrum.start.contraction; }),
           "sigma_1 with angles over that with angles at zero, before training", "");
  add_mean(judged, sample("RoPE", [](const SpectrumRecord& spectrum) { return spectrum.end.contraction; }),
           "sigma_1 with angles over that with angles at zero, after training", "");
  add_mean(judged,
           sample("RoPE", [](const SpectrumRecord& spectrum) { return share_below_one(spectrum.end_contractions); }),
           "share of trained heads that contract against angles at zero", "");
  const auto no_more =
      std::find_if(leads.begin(), leads.end(), [](const Difference& lead) { return lead.is_no_more(); });
  const auto open = std::find_if(leads.begin(), leads.end(), [](const Difference& lead) { return !lead.is_more(); });
  const std::string numbers =
      fmt::format("sigma_1 of RoPE's row-centred logits is {} times that of content alone", joined(means, " and "));
  if (none != nullptr) {
    decide(judged, ClaimVerdict::fails, fmt::format("{}: {} there is no contraction of 1 %", numbers, none));
  } else if (no_more != leads.end()) {
    decide(judged, ClaimVerdict::fails,
           fmt::format("an additive encoding expands no more: {}; {}", no_more->text(), numbers));
  } else if (!lacks(judged, lack)) {
    if (is_contracted && open == leads.end()) {
      decide(judged, ClaimVerdict::holds, fmt::format("{}, less than in each additive encoding", numbers));
    } else {
      decide(judged, ClaimVerdict::undetermined,
             open == leads.end() ? numbers : fmt::format("{}; {}", numbers, open->text()),
             open == leads.end() ? "more runs" : open->runs_to_decide_text());
    }
  }
  add_notes(judged, notes);
  return judged;
}

JudgedClaim judge_solution_space(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const SeparationTable& table = study.separation();
  const double margin = claim.threshold("budget_share") * table.budget;
  for (const SeparationContent content :
       {SeparationContent::decides, SeparationContent::fixed, SeparationContent::varied}) {
    for (const auto& [label, encoding] :
         {std::pair("RoPE", SeparationEncoding::rope), std::pair("relative bias", SeparationEncoding::relative)}) {
      const SeparationRow& row = separation_row(table, encoding, content);
      judged.evidence.push_back(
          seeds_evidence(fmt::format("best margin, {}, content {}", label, name(content)), row.margin));
      judged.evidence.push_back(seeds_evidence(
          fmt::format("share of random parameters that separate, {}, content {}", label, name(content)), row.positive));
    }
  }
  const SeparationRow& rope = separation_row(table, SeparationEncoding::rope, SeparationContent::decides);
  const SeparationRow& relative = separation_row(table, SeparationEncoding::relative, SeparationContent::decides);
  bool larger = true, no_larger = true;
  for (size_t seed = 0; seed < rope.margin.seeds.size(); ++seed) {
    larger = larger && rope.margin.seeds[seed] > relative.bound.seeds[seed] + margin;
    no_larger = no_larger && rope.bound.seeds[seed] < relative.margin.seeds[seed] + margin;
  }
  const int64_t seeds = table.options.seeds;
  const std::string numbers = fmt::format(
      "where two contents want different distances and both encodings may spend {:.3g} logits, the best margin is "
      "{:.3g} with RoPE ({:.3g} to {:.3g} over seeds), and no relative bias exceeds {:.3g}; of random parameters "
      "{:.2g} separate with RoPE, {:.2g} with a relative bias",
      table.budget, rope.margin.mean, rope.margin.least, rope.margin.most, relative.bound.most, rope.positive.mean,
      relative.positive.mean);
  if (seeds < 5) {
    decide(judged, ClaimVerdict::undetermined, fmt::format("{} seeds are too few", seeds), "at least 5 seeds");
  } else if (larger) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (no_larger) {
    decide(judged, ClaimVerdict::fails, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, fmt::format("the seeds disagree: {}", numbers), "more seeds");
  }
  return judged;
}

JudgedClaim judge_additive_states(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double most = claim.threshold("interaction_ratio"), least = claim.threshold("least_positional");
  std::vector<ClaimSample> samples;
  std::vector<Lack> lack;
  std::vector<std::string> notes, without;
  for (const PaperEncoding& encoding : paper_encodings()) {
    const bool is_needed = encoding.name == "Absolute" || encoding.name == "RoPE";
    if (encoding.name == "MLA") continue;
    if (!is_needed && study.results().find(cell_of(encoding, kDistance, protocol)) == nullptr) continue;
    const auto sample = [&](const auto& number) {
      return study.sample(encoding.name, kDistance, protocol, "word and place behind the first layer",
                          of_spectrum(number));
    };
    const ClaimSample positional = sample(inner_positional);
    add_mean(judged, positional, "place and its interaction with the word, of the states' variance", "");
    notes.push_back(positional.notes);
    if (!positional.decides()) {
      if (is_needed) lack.push_back(positional.lack);
      continue;
    }
    if (statistics::mean(positional.values) < least) {
      without.push_back(encoding.name);
      continue;
    }
    samples.push_back(sample(inner_ratio));
    add_mean(judged, samples.back(), "interaction / (place + interaction)", "");
    lack.push_back(samples.back().lack);
  }
  const double any = level_for_any_of(samples.size());
  const ClaimSample* broken = nullptr;
  const ClaimSample* widest = nullptr;
  const auto high = [](const ClaimSample& sample) { return statistics::mean_of_runs(sample.runs()).high; };
  for (const ClaimSample& sample : samples) {
    if (!sample.decides()) continue;
    if (statistics::mean_of_runs(sample.runs(), any).low > most) broken = &sample;
    if (widest == nullptr || high(sample) > high(*widest)) widest = &sample;
  }
  const std::string left =
      without.empty() ? "" : fmt::format("; next to no place in the states of {}", joined(without));
  if (broken != nullptr) {
    decide(
        judged, ClaimVerdict::fails,
        fmt::format("behind the first layer {} of what place does to the states of {} is interaction with the word{}",
                    mean_text(*broken, ""), broken->label, left));
  } else if (!lacks(judged, lack)) {
    if (widest == nullptr) {
      decide(judged, ClaimVerdict::undetermined, "no encoding has place in its states behind the first layer" + left,
             "a size at which states carry position");
    } else {
      const bool holds = high(*widest) < most;
      decide(judged, holds ? ClaimVerdict::holds : ClaimVerdict::undetermined,
             fmt::format("behind the first layer at most {} of what place does is interaction with the word ({}){}",
                         mean_text(*widest, ""), widest->label, left),
             holds ? "" : "more runs");
    }
  }
  add_notes(judged, notes);
  return judged;
}

JudgedClaim judge_toeplitz(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double least = claim.threshold("toeplitz_share");
  const ClaimSample absolute = toeplitz(study, "Absolute", protocol);
  const ClaimSample of_variance =
      study.sample("Absolute", kDistance, protocol, "share of the positional Gram",
                   of_spectrum([](const SpectrumRecord& spectrum) { return spectrum.gram_share; }));
  add_mean(judged, absolute, "share of the positional Gram that distance explains", "");
  add_mean(judged, of_variance, "share of the positional Gram in the logits' variance", "");
  add_mean(judged, toeplitz(study, "Random", protocol), "share of the positional Gram that distance explains", "");
  if (lacks(judged, {absolute.lack})) return judged;
  const statistics::MeanDifference share = statistics::mean_of_runs(absolute.runs());
  const std::string numbers =
      fmt::format("distance explains {} of the positional Gram of trained heads, which is {} of the logits' variance",
                  mean_text(absolute, ""), of_variance.values.empty() ? "an unknown part" : mean_text(of_variance, ""));
  if (share.decides() && share.low > least) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (share.decides() && share.high < least) {
    decide(judged, ClaimVerdict::fails, fmt::format("{}; {:g} is asked for", numbers, least));
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers, "more runs");
  }
  add_notes(judged, {absolute.notes});
  return judged;
}

JudgedClaim judge_bounds(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double least = claim.threshold("kept");
  const CellName cell = cell_of(paper_encoding("RoPE"), kDistance, protocol);
  ClaimSample kept = study.sample("RoPE", kDistance, protocol, "eigenvalue bounds", bounds_kept);
  int64_t cases = 0, applied = 0, violated = 0;
  double tightness = 0.0, weight = 0.0;
  for (const RunRecord* run : finished_runs(study.results(), cell)) {
    if (!run->spectrum) continue;
    for (const BoundRecord& bound : run->spectrum->bounds) {
      applied += bound.applied;
      violated += bound.violated;
    }
    const BoundRecord* bound = bound_of(*run, kEigenvalueBounds[0]);
    if (bound == nullptr) continue;
    cases += bound->cases;
    if (!std::isfinite(bound->tightness)) continue;
    tightness += bound->tightness;
    weight += 1.0;
  }
  if (!kept.values.empty()) {
    kept.variance_floor = statistics::accuracy_variance_floor(statistics::mean(kept.values), cases);
  }
  add_mean(judged, kept, "share of heads and sequences within the bounds", "");
  judged.evidence.push_back({.what = "largest eigenvalue with angles over that without, RoPE",
                             .value = weight > 0.0 ? tightness / weight : kNaN,
                             .text = "1 would be a bound that is reached; more is beyond it"});
  judged.evidence.push_back({.what = "theorems beyond their bound where they apply, RoPE",
                             .value = static_cast<double>(violated),
                             .text = fmt::format("of {} cases in which some theorem applies", applied)});
  if (lacks(judged, {kept.lack})) return judged;
  const statistics::MeanDifference share = statistics::mean_of_runs(kept.runs());
  const std::string numbers = fmt::format(
      "in {} of heads and sequences the eigenvalues of the symmetric part stay within those without angles; the "
      "largest "
      "is {:.3g} of it on average",
      mean_text(kept, ""), weight > 0.0 ? tightness / weight : kNaN);
  if (share.decides() && share.low > least) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (share.decides() && share.high < least) {
    decide(judged, ClaimVerdict::fails, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers, "more runs");
  }
  add_notes(judged, {kept.notes});
  return judged;
}

JudgedClaim judge_random_overfits(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const auto gaps = [&](const char* encoding) {
    ClaimSample sample = study.sample(encoding, kDistance, protocol, "generalisation gap", gap);
    sample.variance_floor = study.accuracy(encoding, kDistance, protocol).variance_floor;
    return sample;
  };
  const ClaimSample random_gap = gaps("Random"), absolute_gap = gaps("Absolute");
  const ClaimSample random_fit = toeplitz(study, "Random", protocol),
                    absolute_fit = toeplitz(study, "Absolute", protocol);
  for (const ClaimSample* sample : {&random_gap, &absolute_gap}) {
    add_mean(judged, *sample, "training accuracy - test accuracy", "points");
  }
  for (const ClaimSample* sample : {&random_fit, &absolute_fit}) {
    add_mean(judged, *sample, "share of the positional Gram that distance explains", "");
  }
  // Each of the two may refute.
  std::optional<Difference> larger_gap, lower_fit;
  if (random_gap.decides() && absolute_gap.decides()) {
    larger_gap = difference(random_gap, absolute_gap, "points", claim.threshold("accuracy_points"), 2);
  }
  if (random_fit.decides() && absolute_fit.decides()) {
    lower_fit = difference(absolute_fit, random_fit, "", claim.threshold("toeplitz_share"), 2);
  }
  if (larger_gap) judged.evidence.push_back(larger_gap->evidence("gap"));
  if (lower_fit) judged.evidence.push_back(lower_fit->evidence("Toeplitz share"));
  decide_overfitting(judged, larger_gap, lower_fit,
                     {random_gap.lack, absolute_gap.lack, random_fit.lack, absolute_fit.lack},
                     is_at_ceiling(study, "Random", protocol, claim.threshold("accuracy_points")));
  add_notes(judged, {random_gap.notes, absolute_gap.notes});
  return judged;
}

}  // namespace phasor::paper
