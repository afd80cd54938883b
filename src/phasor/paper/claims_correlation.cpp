#include "phasor/paper/claims_correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/special_numbers.h"
#include "phasor/paper/judging.h"
#include "phasor/statistics/correlation.h"
#include "phasor/study/summary/compared_number.h"
#include "phasor/study/summary/comparison_text.h"
#include "phasor/study/summary/contraction_study.h"

namespace phasor::paper {
namespace {

// The converged runs on distance of one encoding of the paper.
struct EncodingRuns {
  std::string label;
  std::vector<const RunRecord*> runs;
  std::string left_out;
};

// Those with at least three runs that `has` takes.
template <class Predicate>
std::vector<EncodingRuns> encodings_with(const ClaimStudy& study, const std::string& protocol, const Predicate& has) {
  std::vector<EncodingRuns> all;
  for (const PaperEncoding& encoding : paper_encodings()) {
    const CellName cell = cell_of(encoding, kDistance, protocol);
    EncodingRuns own{.label = encoding.name, .left_out = left_out_of(study.results().find(cell), encoding.name)};
    for (const RunRecord* run : converged_runs(study.results(), cell)) {
      if (has(*run)) own.runs.push_back(run);
    }
    if (own.runs.size() >= kLeastRuns) all.push_back(std::move(own));
  }
  return all;
}

std::vector<std::string> left_out_of_all(const std::vector<EncodingRuns>& encodings) {
  std::vector<std::string> texts;
  texts.reserve(encodings.size());
  for (const EncodingRuns& encoding : encodings) texts.push_back(encoding.left_out);
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
    decide(judged, ClaimVerdict::fails, fmt::format("no correlation reaches {:g}, surely; {}", least, numbers));
  } else if (positive && negative) {
    decide(judged, ClaimVerdict::undetermined, "some correlations are positive and some negative; " + numbers,
           "runs whose logit scale is set apart from the encoding (phasor spectrum match)");
  } else if (positive) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (negative) {
    decide(judged, ClaimVerdict::fails, "the other way round: " + numbers);
  } else {
    decide(judged, ClaimVerdict::undetermined, fmt::format("no correlation is sure; {}", numbers),
           "more seeds, or runs whose logit scale is set apart from the encoding (phasor spectrum match)");
  }
}

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

double largest_share(const RunRecord& run) {
  return value_of(run, {ComparedQuantity::position_max_share}).value_or(kNaN);
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
           fmt::format("no encoding on distance has spectra of {} converged runs that differ", kLeastRuns),
           "spectra of several seeds");
    return judged;
  }
  decide_stability(judged, measured, claim.threshold("least_correlation"));
  leave_out(judged, left_out_of_all(encodings));
  return judged;
}

JudgedClaim judge_length_generalisation(const Claim& claim, ClaimStudy& study, const std::string& protocol) {
  JudgedClaim judged = undetermined(claim, protocol);
  const double least = claim.threshold("least_correlation");
  const std::vector<EncodingRuns> encodings = encodings_with(study, protocol, [](const RunRecord& run) {
    return std::isfinite(accuracy_kept(run)) && std::isfinite(largest_share(run));
  });
  std::vector<double> shares, kept;
  std::vector<int64_t> labels, sizes;
  for (const EncodingRuns& encoding : encodings) {
    for (const RunRecord* run : encoding.runs) {
      shares.push_back(largest_share(*run));
      kept.push_back(accuracy_kept(*run));
      labels.push_back(std::ssize(sizes));
    }
    sizes.push_back(std::ssize(encoding.runs));
  }
  if (sizes.empty()) {
    decide(judged, ClaimVerdict::undetermined,
           fmt::format("no encoding on distance has {} converged runs with accuracies on longer sequences and shares "
                       "of heads",
                       kLeastRuns),
           "longer sequences and ablations of several seeds");
    return judged;
  }
  constexpr auto kKind = statistics::CorrelationKind::spearman;
  const statistics::BootstrapInterval found =
      statistics::correlation_within_interval(kKind, shares, kept, labels).within(-1.0, 1.0);
  const statistics::PermutationTest test = statistics::permute_correlation(kKind, shares, kept, labels);
  judged.evidence.push_back({.what = "rank correlation within encodings, largest share of a head ~ accuracy kept",
                             .value = found.estimate,
                             .low = found.low,
                             .high = found.high,
                             .text = fmt::format("{} runs of {} encodings, p = {}, at best {}", shares.size(),
                                                 sizes.size(), p_text(test.p), p_text(test.smallest_p))});
  if (!std::isfinite(found.estimate)) {
    decide(judged, ClaimVerdict::undetermined, "shares or accuracies do not vary over seeds", "more seeds");
    return judged;
  }
  const std::string numbers = fmt::format(
      "largest share of a head ~ accuracy kept on longer sequences: {:+.2f} (95 % {:+.2f} to {:+.2f}), p = "
      "{}, {} runs",
      found.estimate, found.low, found.high, p_text(test.p), shares.size());
  const bool sure = test.p <= kClaimLevel;
  if (found.low > -least) {
    const bool turned = sure && found.estimate > 0.0;
    decide(judged, ClaimVerdict::fails,
           turned ? "the other way round: " + numbers
                  : fmt::format("no correlation of -{:g}, surely; {}", least, numbers));
  } else if (sure && found.estimate < 0.0) {
    decide(judged, ClaimVerdict::holds, numbers);
  } else if (sure) {
    decide(judged, ClaimVerdict::fails, "the other way round: " + numbers);
  } else {
    const bool small = test.smallest_p > kClaimLevel;
    decide(judged, ClaimVerdict::undetermined,
           small ? fmt::format("{}, where {} is the smallest p of so few runs", numbers, p_text(test.smallest_p))
                 : numbers,
           "more seeds");
  }
  leave_out(judged, left_out_of_all(encodings));
  return judged;
}

}  // namespace phasor::paper
