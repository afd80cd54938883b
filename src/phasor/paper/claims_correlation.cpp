#include "phasor/paper/claims_correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/special_numbers.h"
#include "phasor/paper/judging.h"
#include "phasor/statistics/correlation.h"
#include "phasor/study/summary/comparison_text.h"
#include "phasor/study/summary/contraction_study.h"

namespace phasor::paper {
namespace {

// The finished runs on distance of one encoding of the paper.
struct EncodingRuns {
  std::string label;
  std::vector<const RunRecord*> runs;
  std::string notes;
};

// Those with at least three runs that `has` takes.
template <class Predicate>
std::vector<EncodingRuns> encodings_with(const ClaimStudy& study, const std::string& protocol, const Predicate& has) {
  std::vector<EncodingRuns> all;
  for (const PaperEncoding& encoding : paper_encodings()) {
    const CellName cell = cell_of(encoding, kDistance, protocol);
    EncodingRuns own{.label = encoding.name, .notes = notes_on(study.results().find(cell), encoding.name)};
    for (const RunRecord* run : finished_runs(study.results(), cell)) {
      if (has(*run)) own.runs.push_back(run);
    }
    if (own.runs.size() >= kLeastRuns) all.push_back(std::move(own));
  }
  return all;
}

std::vector<std::string> notes_of_all(const std::vector<EncodingRuns>& encodings) {
  std::vector<std::string> texts;
  texts.reserve(encodings.size());
  for (const EncodingRuns& encoding : encodings) texts.push_back(encoding.notes);
  return texts;
}

RunFacts facts_of(const RunRecord& run) {
  return {.encoding = run.cell.encoding,
          .seed = run.seed,
          .converged = run.converged,
          .test_accuracy = run.test_accuracy,
          .start = run.spectrum->start,
          .end = run.spectrum->end,
          .gradient_variation = run.gradient_variation,
          .loss_area = run.loss_area,
          .loss_spikes = run.loss_spikes};
}

bool has_facts(const RunRecord& run) {
  return run.spectrum && std::isfinite(run.spectrum->start.contraction) &&
         std::isfinite(run.spectrum->start.product_norm) && std::isfinite(run.gradient_variation) &&
         std::isfinite(run.loss_area) && std::isfinite(run.loss_spikes);
}

std::string correlation_text(const ContractionCorrelation& found) {
  return fmt::format("{} ~ {}: {:+.2f} (95 % {:+.2f} to {:+.2f}), after Holm p = {}", found.cause, found.effect,
                     found.within.estimate, found.within.low, found.within.high, p_text(found.holm));
}

// Seeds of an encoding with equal spectra say nothing, and few pairs allow no interval.
bool is_measured(const ContractionCorrelation& found) { return found.runs > 2 && std::isfinite(found.within.estimate); }

void decide_stability(JudgedClaim& judged, const std::vector<ContractionCorrelation>& measured, double least) {
  const ContractionCorrelation* strongest = &measured.front();
  const auto count = [&](ContractionVerdict verdict) {
    return std::count_if(measured.begin(), measured.end(),
                         [&](const ContractionCorrelation& found) { return found.verdict == verdict; });
  };
  for (const ContractionCorrelation& found : measured) {
    if (found.holm < strongest->holm) strongest = &found;
  }
  const bool none_of_size = std::all_of(measured.begin(), measured.end(),
                                        [&](const ContractionCorrelation& found) { return found.within.high < least; });
  const std::string numbers = correlation_text(*strongest);
  const bool positive = count(ContractionVerdict::holds) > 0, negative = count(ContractionVerdict::contradicted) > 0;
  if (none_of_size) {
    decide(judged, ClaimVerdict::fails,
           fmt::format("the interval of every correlation ends below {:g}; {}", least, numbers));
  } else if (positive && negative) {
    decide(judged, ClaimVerdict::undetermined, "some correlations are positive and some negative; " + numbers,
           "runs whose logit scale is set apart from the encoding (phasor spectrum match)");
  } else if (positive) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (negative) {
    decide(judged, ClaimVerdict::fails, "the other way round: " + numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, fmt::format("no correlation is significant; {}", numbers),
           "more seeds, or runs whose logit scale is set apart from the encoding (phasor spectrum match)");
  }
}

double area_under_loss(const RunRecord& run) { return run.loss_area; }

// Two numbers of a run that are claimed to go together; expected to fall with each other where `sign` is -1.
struct ClaimedCorrelation {
  const char* what;  // "largest share of a head ~ loss area"
  RunNumber x, y;
  double sign = 1.0;
  double least = 0.0;  // a correlation that anybody would care about
};

// Rank correlation over seeds within encodings.
void judge_correlation(JudgedClaim& judged, const ClaimStudy& study, const ClaimedCorrelation& claimed) {
  const std::vector<EncodingRuns> encodings = encodings_with(study, judged.protocol, [&](const RunRecord& run) {
    return std::isfinite(claimed.x(run)) && std::isfinite(claimed.y(run));
  });
  std::vector<double> x, y;
  std::vector<int64_t> labels;
  for (size_t e = 0; e < encodings.size(); ++e) {
    for (const RunRecord* run : encodings[e].runs) {
      x.push_back(claimed.x(*run));
      y.push_back(claimed.sign * claimed.y(*run));
      labels.push_back(static_cast<int64_t>(e));
    }
  }
  if (encodings.empty()) {
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("no encoding on distance has {} finished runs with both numbers: {}", kLeastRuns, claimed.what),
           "measures of several seeds");
    judged.unasked = true;
    return;
  }
  constexpr auto kKind = statistics::CorrelationKind::spearman;
  const statistics::BootstrapInterval found =
      statistics::correlation_within_interval(kKind, x, y, labels).within(-1.0, 1.0);
  const statistics::PermutationTest test = statistics::permute_correlation(kKind, x, y, labels);
  const double low = claimed.sign < 0.0 ? -found.high : found.low;
  const double high = claimed.sign < 0.0 ? -found.low : found.high;
  judged.evidence.push_back({.what = fmt::format("rank correlation within encodings, {}", claimed.what),
                             .value = claimed.sign * found.estimate,
                             .low = low,
                             .high = high,
                             .text = fmt::format("{} runs of {} encodings, p = {}, at best {}", x.size(),
                                                 encodings.size(), p_text(test.p), p_text(test.smallest_p))});
  if (!std::isfinite(found.estimate)) {
    decide(judged, ClaimVerdict::undetermined, fmt::format("one of the two does not vary over seeds: {}", claimed.what),
           "more runs");
    return;
  }
  const std::string numbers = fmt::format("{}: {:+.2f} (95 % {:+.2f} to {:+.2f}), p = {}, {} runs", claimed.what,
                                          claimed.sign * found.estimate, low, high, p_text(test.p), x.size());
  const bool significant = test.p <= kClaimLevel;
  if (significant && found.estimate < 0.0) {
    decide(judged, ClaimVerdict::fails, "the other way round: " + numbers);
  } else if (found.high < claimed.least) {
    decide(judged, ClaimVerdict::fails,
           fmt::format("the interval leaves no correlation of {:g}: {}", claimed.sign * claimed.least, numbers));
  } else if (significant) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined,
           test.smallest_p > kClaimLevel
               ? fmt::format("{}, where {} is the smallest p of so few runs", numbers, p_text(test.smallest_p))
               : numbers,
           "more runs");
  }
  add_notes(judged, notes_of_all(encodings));
}

}  // namespace

JudgedClaim judge_stability(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const std::vector<EncodingRuns> encodings = encodings_with(study, protocol, has_facts);
  std::vector<RunFacts> facts;
  for (const EncodingRuns& encoding : encodings) {
    for (const RunRecord* run : encoding.runs) facts.push_back(facts_of(*run));
  }
  std::vector<ContractionCorrelation> measured;
  if (!facts.empty()) {
    for (const ContractionCorrelation& found : study_contraction(facts).correlations) {
      if (!is_measured(found)) continue;
      measured.push_back(found);
      judged.evidence.push_back(
          {.what = fmt::format("rank correlation within encodings, {} ~ {}", found.cause, found.effect),
           .value = found.within.estimate,
           .low = found.within.low,
           .high = found.within.high,
           .text =
               fmt::format("{} runs, p = {}, after Holm {}", found.runs, p_text(found.test.p), p_text(found.holm))});
    }
  }
  if (measured.empty()) {
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("no encoding on distance has spectra of {} finished runs that differ", kLeastRuns),
           "spectra of several seeds");
    return judged;
  }
  decide_stability(judged, measured, claim.threshold("least_correlation"));
  add_notes(judged, notes_of_all(encodings));
  return judged;
}

JudgedClaim judge_training_spectra(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double least = claim.threshold("least_correlation");
  const auto sample = [&](const char* encoding, double TrainingSpectra::*number) {
    return study.sample(encoding, kDistance, protocol, "telemetry",
                        [number](const RunRecord& run) { return run.training ? (*run.training).*number : kNaN; });
  };
  const ClaimSample rope = sample("RoPE", &TrainingSpectra::gradient);
  add_mean(judged, rope, "rank correlation within a run, sigma_1 ~ norm of gradients", "");
  for (const char* encoding : {"NoPE", "Absolute", "ALiBi"}) {
    add_mean(judged, sample(encoding, &TrainingSpectra::gradient),
             "rank correlation within a run, sigma_1 ~ norm of gradients", "");
  }
  for (const char* encoding : {"RoPE", "NoPE", "Absolute", "ALiBi"}) {
    add_mean(judged, sample(encoding, &TrainingSpectra::speed),
             "rank correlation within a run, sigma_1 ~ fall of the loss", "");
  }
  if (lacks(judged, {rope.lack})) return judged;
  const statistics::MeanDifference mean = statistics::mean_of_runs(rope.runs());
  const std::string numbers = fmt::format(
      "from one measurement to the next, sigma_1 and the norm of gradients change together by a rank correlation of {}",
      mean_text(rope, ""));
  if (mean.decides() && mean.low > least) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (mean.decides() && mean.high < least) {
    decide(judged, ClaimVerdict::fails, numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, numbers, "more runs");
  }
  add_notes(judged, {rope.notes});
  return judged;
}

JudgedClaim judge_concentration_and_speed(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  judge_correlation(judged, study,
                    {.what = "largest share of a head ~ area under the test loss",
                     .x = largest_share_of,
                     .y = area_under_loss,
                     .sign = -1.0,
                     .least = claim.threshold("least_correlation")});
  return judged;
}

}  // namespace phasor::paper
