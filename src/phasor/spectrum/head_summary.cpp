#include "phasor/spectrum/head_summary.h"

#include <algorithm>
#include <map>

#include "phasor/base/error.h"
#include "phasor/base/parallel.h"

namespace phasor {
namespace {

void add_report(HeadSummary& summary, const HeadReport& report) {
  const SingularSpectrum& s = report.logits.singular;
  summary.spectral_norm.add(s.largest);
  if (s.largest > 0.0) {
    summary.stable_rank.add(s.stable_rank);
    summary.effective_rank.add(s.effective_rank);
    summary.participation_ratio.add(s.participation_ratio);
    summary.condition.add(s.condition);
  }
  summary.numerical_rank.add(static_cast<double>(s.numerical_rank));
  if (report.logits.symmetric) {
    summary.abscissa.add(report.logits.symmetric->abscissa);
    summary.symmetric_width.add(report.logits.symmetric->width);
    summary.antisymmetry.add(report.logits.symmetric->antisymmetry);
  }
  if (report.logits.eigen) {
    summary.spectral_radius.add(report.logits.eigen->radius);
    summary.henrici.add(report.logits.eigen->henrici);
  }
  if (report.contraction && report.contraction->defined) {
    summary.contraction.add(report.contraction->spectral_norm);
    summary.stable_rank_ratio.add(report.contraction->stable_rank);
    summary.majorisation_gap.add(report.contraction->singular.gap);
  }
  if (report.biased && report.products.singular.largest > 0.0) summary.bias_expansion.add(report.bias_expansion);
  if (report.relative.defined) summary.relative_r2.add(report.relative.adjusted);
  if (report.toeplitz.defined) summary.toeplitz.add(report.toeplitz.share - report.toeplitz.null);
  if (report.split.defined) {
    summary.gauge.add(report.split.gauge);
    summary.relative.add(report.split.relative);
    summary.absolute_key.add(report.split.absolute_key);
    summary.residual.add(report.split.residual);
  }
}

void add_checks(std::vector<CheckTally>& tallies, const std::vector<BoundCheck>& checks) {
  for (const BoundCheck& check : checks) {
    auto tally = std::find_if(tallies.begin(), tallies.end(),
                              [&](const CheckTally& known) { return known.first.name == check.name; });
    if (tally == tallies.end()) {
      tallies.push_back({.first = check});
      tally = std::prev(tallies.end());
    }
    ++tally->sequences;
    if (check.applies) ++tally->applied;
    if (check.holds) ++tally->held;
    if (check.applies && !check.holds) tally->violated = true;
  }
}

// One for each length, shared by all heads: what they factor grows with its cube.
class Reporters {
 public:
  explicit Reporters(const std::vector<const HeadLogits*>& sequences) {
    for (const HeadLogits* logits : sequences) {
      if (logits->size() == 0) fail("a sequence without tokens has no spectrum");
      reporters_.try_emplace({logits->size(), logits->causal}, logits->size(), logits->causal);
    }
  }
  const HeadReporter& of(const HeadLogits& logits) const { return reporters_.at({logits.size(), logits.causal}); }

 private:
  std::map<std::pair<int64_t, bool>, HeadReporter> reporters_;
};

HeadSummary summary_of(int64_t layer, int64_t head, const std::vector<const HeadLogits*>& sequences,
                       const Reporters& reporters, const HeadReportOptions& options) {
  if (sequences.empty()) fail("head {} of layer {} has no sequences to summarise", head, layer);
  HeadSummary summary{.layer = layer, .head = head, .sequences = static_cast<int64_t>(sequences.size())};
  HeadReportOptions later = options;
  later.numerical_range = false;
  for (size_t s = 0; s < sequences.size(); ++s) {
    HeadReport report = reporters.of(*sequences[s]).report(*sequences[s], s == 0 ? options : later);
    add_report(summary, report);
    add_checks(summary.checks, report.checks);
    summary.biased = summary.biased || report.biased;
    if (s == 0) summary.first = std::move(report);
  }
  return summary;
}

}  // namespace

void Spread::add(double value) {
  least = count == 0 ? value : std::min(least, value);
  most = count == 0 ? value : std::max(most, value);
  ++count;
  mean += (value - mean) / static_cast<double>(count);
}

const char* CheckTally::verdict() const { return violated ? "violated" : applied > 0 ? "holds" : "does not apply"; }

std::vector<HeadSummary> summarize_heads(int64_t layer, const std::vector<std::vector<HeadLogits>>& sequences,
                                         const HeadReportOptions& options) {
  if (sequences.empty()) fail("layer {} has no sequences to summarise", layer);
  const size_t heads = sequences.front().size();
  std::vector<std::vector<const HeadLogits*>> own(heads);
  std::vector<const HeadLogits*> all;
  for (const std::vector<HeadLogits>& sequence : sequences) {
    if (sequence.size() != heads) fail("layer {} has sequences of {} and of {} heads", layer, heads, sequence.size());
    for (size_t h = 0; h < heads; ++h) {
      own[h].push_back(&sequence[h]);
      all.push_back(&sequence[h]);
    }
  }
  const Reporters reporters(all);
  std::vector<HeadSummary> result(heads);
  parallel_for(static_cast<int64_t>(heads), 1, [&](int64_t begin, int64_t end) {
    for (int64_t h = begin; h < end; ++h) {
      result[static_cast<size_t>(h)] = summary_of(layer, h, own[static_cast<size_t>(h)], reporters, options);
    }
  });
  return result;
}

}  // namespace phasor
